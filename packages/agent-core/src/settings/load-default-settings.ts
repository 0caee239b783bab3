import type { Environment } from "./environment-settings.js";
import { readNamedFile } from "./files/read-bounded.js";
import { parseSettingsFile } from "./parse-settings-file.js";
import type { Settings } from "./settings.js";

/**
 * Reads the settings of `DT_SETTINGS_FILE`, which are the defaults of every session. Throws `SettingsError` if
 * the file is missing or has any fault.
 */
export async function loadDefaultSettings(
  file: string,
  environment: Environment,
): Promise<Settings> {
  const text = await readNamedFile("DT_SETTINGS_FILE", file);
  const source = { file, text, isForeign: false, isOfWorkspace: false };
  return (await parseSettingsFile(source, environment)).settings;
}
