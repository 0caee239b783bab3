import { checkShape, type ShapeFault } from "./check-shape.js";
import { expandServers } from "./servers/expand-servers.js";
import type { Variables } from "./servers/expand-variables.js";
import { fromGeminiSettings } from "./servers/from-gemini-servers.js";
import type { Settings } from "./settings.js";
import { SettingsError, type SettingsFault } from "./settings-error.js";
import { settingsJsonSchema } from "./settings-schema.js";
import { parseYaml } from "./yaml-source.js";

/** A settings file as it was found. */
export interface SettingsFile {
  readonly file: string;
  readonly text: string;
  /** Whether it was written for another program: what we do not understand there is left out. */
  readonly isForeign: boolean;
}

/** What a settings file says, and what of it was left out. */
export interface ParsedSettings {
  readonly settings: Settings;
  readonly warnings: readonly SettingsFault[];
}

/** Reads settings out of YAML; throws {@link SettingsError} with every fault of the file. */
export async function parseSettingsFile(
  { file, text, isForeign }: SettingsFile,
  variables: Variables,
): Promise<ParsedSettings> {
  const yaml = await parseYaml(file, text);
  const toFault = ({ path, problem }: Pick<ShapeFault, "path" | "problem">): SettingsFault => ({
    file,
    ...yaml.placeOf(path),
    key: path.join("."),
    problem,
  });
  const given = yaml.value ?? {};
  const filled = expandServers(isForeign ? fromGeminiSettings(given) : given, variables);
  const missing = filled.missing.map(toFault);
  const faults = checkShape(settingsJsonSchema(), filled.value);
  const told = faults.map(toFault);
  if (told.length > 0 && !isForeign) throw new SettingsError(told);
  // Checked: it has the shape of the schema, which is that of the type.
  const settings = withoutFaults(filled.value, faults) as Settings;
  return { settings, warnings: [...told, ...missing] };
}

// A server with a fault is left out whole; of anything else, the key at fault or the one around it.
function withoutFaults(value: unknown, faults: readonly ShapeFault[]): unknown {
  if (faults.length === 0) return value;
  if (faults.some(({ path }) => path.length === 0)) return {};
  const units = new Set(faults.map(({ path }) => JSON.stringify(path.slice(0, 2))));
  return prune(value, []);

  function prune(part: unknown, path: readonly string[]): unknown {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    const kept = Object.entries(part).filter(([key]) => !units.has(JSON.stringify([...path, key])));
    return Object.fromEntries(kept.map(([key, inner]) => [key, prune(inner, [...path, key])]));
  }
}
