import { readdir } from "node:fs/promises";
import path from "node:path";
import type { ExtensionService } from "../commands/command-services.js";
import { createExtensionSwitches } from "../extensions/extension-switches.js";
import { type Contributions, joinExtensions } from "../extensions/join-extensions.js";
import { loadExtensions } from "../extensions/load-extensions.js";
import { loadSettings } from "../settings/load-settings.js";
import type { Settings } from "../settings/settings.js";
import { describeFault, type SettingsFault } from "../settings/settings-error.js";
import { createTrust, describeUntrusted, type Trust, trustFile } from "../settings/trust.js";

/** Where configuration is looked for. */
export interface ConfigurationPlace {
  /** The person's home directory. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The root of the workspace, every link resolved. */
  readonly workspace: string;
}

/** What settings and extensions come to for one session. */
export interface Configuration {
  readonly settings: Settings;
  /** What settings and enabled extensions bring together. */
  readonly joined: Contributions;
  readonly extensions: ExtensionService;
  readonly trust: Trust;
  /** Where the person's own configuration lies. */
  readonly directory: string;
  /** Where files of custom commands lie, the most important first. */
  readonly commandDirectories: readonly string[];
  /** What was left out, and why. */
  readonly warnings: readonly string[];
}

/** Reads settings and extensions; a workspace that the person does not trust contributes nothing. */
export async function loadConfiguration(
  place: ConfigurationPlace,
  flags: Settings,
): Promise<Configuration> {
  const directory = path.join(place.home, ".config", "dt");
  const trust = createTrust({ file: trustFile(place.home) });
  const switches = createExtensionSwitches({ file: path.join(directory, "extensions.json") });
  const [isTrusted, switchedOff] = await Promise.all([
    trust.isTrusted(place.workspace),
    switches.disabled(),
  ]);
  const { settings, warnings } = await loadSettings({ ...place, isTrusted, flags });
  const load = async (off: readonly string[]) =>
    await loadExtensions({
      ...place,
      isTrusted,
      disabled: [...(settings.extensions?.disabled ?? []), ...off],
    });
  const loaded = await load(switchedOff);
  const joined = joinExtensions(settings, loaded.extensions);
  const unused = isTrusted ? [] : await findUnused(place.workspace);
  return {
    settings,
    joined,
    extensions: {
      list: async () => (await load(await switches.disabled())).extensions,
      enable: switches.enable,
      disable: switches.disable,
    },
    trust,
    directory,
    commandDirectories: [
      ...(isTrusted ? [path.join(place.workspace, ".dt", "commands")] : []),
      path.join(directory, "commands"),
      ...joined.commandsDirectories,
    ],
    warnings: [...warnings, ...loaded.warnings, ...unused].map(describeFault),
  };
}

/** The directories of configuration in a workspace that is not trusted, each as a warning. */
async function findUnused(workspace: string): Promise<readonly SettingsFault[]> {
  const names = [".dt/commands", ".dt/extensions", ".gemini/extensions"];
  const directories = names.map((name) => path.join(workspace, name));
  const filled = await Promise.all(directories.map(isFilled));
  return directories
    .filter((_, index) => filled[index])
    .map((file) => ({ file, key: "", problem: describeUntrusted(workspace) }));
}

async function isFilled(directory: string): Promise<boolean> {
  return (await readdir(directory).catch(() => [])).length > 0;
}
