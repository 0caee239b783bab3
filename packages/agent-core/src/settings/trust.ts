import { realpath } from "node:fs/promises";
import path from "node:path";
import { quoteWord } from "../shell/quote-word.js";
import { createPrivateJsonFile } from "./private-json-file.js";

/**
 * The workspaces that the person trusts. Call `trust` only if the person explicitly asked to trust the
 * workspace, because its settings, MCP servers and commands then run on the person's machine.
 */
export interface Trust {
  /**
   * Returns true if the person trusted exactly this directory, after links are resolved. Directories inside a
   * trusted directory are not trusted, because they may be other people's repositories.
   */
  isTrusted(workspace: string): Promise<boolean>;
  trust(workspace: string): Promise<void>;
  distrust(workspace: string): Promise<void>;
  /** Returns the trusted workspaces in the order in which they were trusted. */
  list(): Promise<readonly string[]>;
}

interface TrustedWorkspaces {
  readonly trusted: readonly string[];
}

const SCHEMA = {
  type: "object",
  properties: { trusted: { type: "array", items: { type: "string" } } },
  required: ["trusted"],
  additionalProperties: false,
} as const;

/** Default path of the file with the trusted workspaces. */
export function trustFile(home: string): string {
  return path.join(home, ".config", "dt", "trusted.json");
}

/** Explains why configuration of a workspace is ignored and how to change that. */
export function describeUntrusted(workspace: string): string {
  return `is ignored because this workspace is not trusted; to trust it, run dt --trust in it, or dt-server trust ${quoteWord(workspace)}`;
}

/** Creates access to the trusted workspaces in a file. */
export function createTrust({ file }: { readonly file: string }): Trust {
  const stored = createPrivateJsonFile<TrustedWorkspaces>({
    file,
    schema: SCHEMA,
    empty: { trusted: [] },
  });
  return {
    async isTrusted(workspace) {
      const { trusted } = await stored.read();
      return trusted.length > 0 && trusted.includes(await resolveLinks(workspace));
    },
    async trust(workspace) {
      const directory = await realpath(workspace);
      await stored.update(({ trusted }) => ({
        trusted: [...without(trusted, directory), directory],
      }));
    },
    async distrust(workspace) {
      const directory = await resolveLinks(workspace);
      await stored.update(({ trusted }) => ({ trusted: without(trusted, directory) }));
    },
    list: async () => (await stored.read()).trusted,
  };
}

function without(trusted: readonly string[], directory: string): readonly string[] {
  return trusted.filter((other) => other !== directory);
}

// Resolves the links of a directory. The path of a missing directory is returned unchanged, so that the
// directory can be distrusted.
async function resolveLinks(directory: string): Promise<string> {
  return await realpath(directory).catch(() => directory);
}
