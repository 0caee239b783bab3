import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseBoundedJson } from "@dt/schema";
import { checkShape } from "../settings/check-shape.js";
import { expandServers } from "../settings/servers/expand-servers.js";
import type { Variables } from "../settings/servers/expand-variables.js";
import { withGeminiServers } from "../settings/servers/from-gemini-servers.js";
import {
  MCP_SERVERS_SCHEMA,
  type McpServerSettings,
} from "../settings/servers/mcp-server-settings.js";
import { SettingsError, type SettingsFault } from "../settings/settings-error.js";

/** The manifest file of an extension. */
export interface ExtensionManifest {
  readonly name: string;
  readonly version: string;
  readonly mcpServers?: Readonly<Record<string, McpServerSettings>>;
  readonly contextFileName?: string | readonly string[];
  readonly excludeTools?: readonly string[];
}

/** A manifest, and warnings about variables in it that are not set. */
export interface FoundManifest {
  readonly manifest: ExtensionManifest;
  readonly warnings: readonly SettingsFault[];
}

const PROPERTIES = {
  name: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$" },
  version: { type: "string", minLength: 1 },
  mcpServers: MCP_SERVERS_SCHEMA,
  contextFileName: { type: ["string", "array"], items: { type: "string" } },
  excludeTools: { type: "array", items: { type: "string" } },
} as const satisfies Record<keyof ExtensionManifest, object>;

const SCHEMA = { type: "object", properties: PROPERTIES, required: ["name", "version"] } as const;

/**
 * Reads `dt-extension.json`, or else `gemini-extension.json`. Resolves with undefined if the folder has neither
 * file. Throws {@link SettingsError} with file and key if the manifest is invalid. Unknown keys are refused in
 * `dt-extension.json`, and ignored in `gemini-extension.json`, because Gemini CLI has keys that dt does not
 * use.
 */
export async function findManifest(
  directory: string,
  variables: Variables,
): Promise<FoundManifest | undefined> {
  const ours = path.join(directory, "dt-extension.json");
  const text = await findText(ours);
  if (text !== undefined) {
    const strict = { ...SCHEMA, additionalProperties: false };
    return parseManifest(ours, expandServers(parseJson(ours, text), variables), strict);
  }
  const gemini = path.join(directory, "gemini-extension.json");
  const foreign = await findText(gemini);
  if (foreign === undefined) return undefined;
  const value = withGeminiServers(parseJson(gemini, foreign));
  return parseManifest(gemini, expandServers(value, variables), SCHEMA);
}

function parseManifest(
  file: string,
  { value, missing }: ReturnType<typeof expandServers>,
  schema: Readonly<Record<string, unknown>>,
): FoundManifest {
  const toFault = (fault: { readonly path: readonly string[]; readonly problem: string }) => ({
    file,
    key: fault.path.join("."),
    problem: fault.problem,
  });
  const faults = checkShape(schema, value);
  if (faults.length > 0) throw new SettingsError(faults.map(toFault));
  // `checkShape` has checked the value against the schema of this type.
  return { manifest: value as ExtensionManifest, warnings: missing.map(toFault) };
}

function parseJson(file: string, text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch (cause) {
    const problem = `is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new SettingsError([{ file, key: "", problem }], { cause });
  }
}

async function findText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new SettingsError([{ file, key: "", problem: `cannot be read: ${message}` }], { cause });
  }
}
