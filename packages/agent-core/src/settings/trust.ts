import { realpath } from "node:fs/promises";
import path from "node:path";
import { quoteWord } from "../shell/quote-word.js";
import { createPrivateJsonFile } from "./private-json-file.js";

/**
 * The workspaces that the person trusts. Only a person's own act may call `trust`: a workspace that
 * is trusted brings settings, MCP servers and commands that run on their machine.
 */
export interface Trust {
  /**
   * Whether this very directory was trusted, every link resolved. A directory inside a trusted one
   * is not: it may be somebody else's repository.
   */
  isTrusted(workspace: string): Promise<boolean>;
  trust(workspace: string): Promise<void>;
  distrust(workspace: string): Promise<void>;
  /** The trusted workspaces, in the order in which they were trusted. */
  list(): Promise<readonly string[]>;
}

interface TrustedWorkspaces {
  readonly trusted: readonly string[];
}

const schema = {
  type: "object",
  properties: { trusted: { type: "array", items: { type: "string" } } },
  required: ["trusted"],
  additionalProperties: false,
} as const;

/** Where the person's trust is kept, by custom. */
export function trustFile(home: string): string {
  return path.join(home, ".config", "dt", "trusted.json");
}

/** Why configuration of a workspace is not used, and how a person can change that. */
export function describeUntrusted(workspace: string): string {
  return `is not used, since this workspace is not trusted; to trust it, run dt --trust in it, or dt-server trust ${quoteWord(workspace)}`;
}

/** Trust that is kept in a file. */
export function createTrust({ file }: { readonly file: string }): Trust {
  const kept = createPrivateJsonFile<TrustedWorkspaces>({ file, schema, empty: { trusted: [] } });
  return {
    async isTrusted(workspace) {
      const { trusted } = await kept.read();
      return trusted.length > 0 && trusted.includes(await resolveLinks(workspace));
    },
    async trust(workspace) {
      const directory = await realpath(workspace);
      await kept.update(({ trusted }) => ({
        trusted: [...without(trusted, directory), directory],
      }));
    },
    async distrust(workspace) {
      const directory = await resolveLinks(workspace);
      await kept.update(({ trusted }) => ({ trusted: without(trusted, directory) }));
    },
    list: async () => (await kept.read()).trusted,
  };
}

function without(trusted: readonly string[], directory: string): readonly string[] {
  return trusted.filter((other) => other !== directory);
}

// A workspace that was removed can still be forgotten.
async function resolveLinks(directory: string): Promise<string> {
  return await realpath(directory).catch(() => directory);
}
