import { checkShape, type ShapeFault } from "./check-shape.js";
import { fromGeminiSettings } from "./gemini/from-gemini-settings.js";
import { expandServers } from "./servers/expand-servers.js";
import type { Variables } from "./servers/expand-variables.js";
import type { Settings } from "./settings.js";
import { SettingsError, type SettingsFault } from "./settings-error.js";
import { settingsJsonSchema } from "./settings-schema.js";
import { parseYaml } from "./yaml/yaml-source.js";

/** A settings file that was found. */
export interface SettingsFile {
  readonly file: string;
  readonly text: string;
  /** True if the file belongs to Gemini CLI. Unknown and faulty keys of such a file only cause warnings. */
  readonly isForeign: boolean;
  /** True if the file is in a workspace. */
  readonly isOfWorkspace: boolean;
}

/** The settings of a file, and warnings about ignored keys, dangerous keys and variables that are not set. */
export interface ParsedSettings {
  readonly settings: Settings;
  readonly warnings: readonly SettingsFault[];
}

/**
 * Parses settings from YAML. Throws {@link SettingsError} if the text is not YAML, or if the file is dt's own
 * and has faults; the error then lists all of them. Faults of a file of Gemini CLI become warnings.
 */
export async function parseSettingsFile(
  { file, text, isForeign, isOfWorkspace }: SettingsFile,
  variables: Variables,
): Promise<ParsedSettings> {
  const yaml = await parseYaml(file, text);
  const toFault = ({ path, problem }: Pick<ShapeFault, "path" | "problem">): SettingsFault => ({
    file,
    ...yaml.positionOf(path),
    key: path.join("."),
    problem,
  });
  const given = yaml.value ?? {};
  const foreign = isForeign ? fromGeminiSettings(given, { isOfWorkspace }) : undefined;
  const expanded = expandServers(foreign === undefined ? given : foreign.value, variables);
  const missing = expanded.missing.map(toFault);
  const faults = checkShape(settingsJsonSchema(), expanded.value);
  const located = faults.map(({ path, problem }) =>
    toFault({ path: foreign?.originOf(path) ?? path, problem }),
  );
  const remarks = (foreign?.remarks ?? []).map(toFault);
  if (located.length > 0 && !isForeign) throw new SettingsError(located);
  // The schema check above guarantees the shape of the type.
  const settings = withoutFaults(expanded.value, faults) as Settings;
  return { settings, warnings: [...located, ...remarks, ...missing] };
}

// Removes the faulty keys and the faulty items of lists. A fault inside an MCP server, or inside the price of
// a model, removes the whole server or price.
function withoutFaults(value: unknown, faults: readonly ShapeFault[]): unknown {
  if (faults.length === 0) return value;
  if (faults.some(({ path }) => path.length === 0)) return {};
  const removedKeys = new Set(faults.map(({ path }) => JSON.stringify(path.slice(0, 2))));
  return prune(value, []);

  function prune(part: unknown, path: readonly string[]): unknown {
    if (typeof part !== "object" || part === null) return part;
    const isKept = (key: string) => !removedKeys.has(JSON.stringify([...path, key]));
    if (Array.isArray(part)) return part.filter((_, index) => isKept(String(index)));
    const kept = Object.entries(part).filter(([key]) => isKept(key));
    return Object.fromEntries(kept.map(([key, inner]) => [key, prune(inner, [...path, key])]));
  }
}
