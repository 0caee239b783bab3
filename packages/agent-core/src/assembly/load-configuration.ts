import { readdir } from "node:fs/promises";
import path from "node:path";
import type { ExtensionService } from "../commands/command-services.js";
import { createExtensionSwitches } from "../extensions/extension-switches.js";
import { type Contributions, joinExtensions } from "../extensions/join-extensions.js";
import { loadExtensions } from "../extensions/load-extensions.js";
import { listDirectories, type MayExist } from "../settings/directory-listing.js";
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
  /** False for files of configuration that were not there when it was loaded. */
  readonly mayExist: MayExist;
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
  const switchFile = path.join(directory, "extensions.json");
  const switches = createExtensionSwitches({ file: switchFile });
  const mayExist = await listConfiguration(place);
  const [isTrusted, switchedOff] = await Promise.all([
    mayExist(trustFile(place.home)) && trust.isTrusted(place.workspace),
    mayExist(switchFile) ? switches.disabled() : [],
  ]);
  const { settings, warnings } = await loadSettings({ ...place, isTrusted, flags, mayExist });
  const load = async (off: readonly string[], only?: MayExist) =>
    await loadExtensions({
      ...place,
      isTrusted,
      disabled: [...(settings.extensions?.disabled ?? []), ...off],
      ...(only && { mayExist: only }),
    });
  const loaded = await load(switchedOff, mayExist);
  const joined = joinExtensions(settings, loaded.extensions);
  const unused = isTrusted ? [] : await findUnused(place.workspace, mayExist);
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
    ].filter(mayExist),
    mayExist,
    warnings: [...warnings, ...loaded.warnings, ...unused].map(describeFault),
  };
}

async function listConfiguration({ home, workspace }: ConfigurationPlace): Promise<MayExist> {
  const own = [".config/dt", ".config/gemini-cli", ".gemini"].map((name) => path.join(home, name));
  const shared = [".dt", ".gemini"].map((name) => path.join(workspace, name));
  return await listDirectories([...own, ...shared]);
}

/** The directories of configuration in a workspace that is not trusted, each as a warning. */
async function findUnused(
  workspace: string,
  mayExist: MayExist,
): Promise<readonly SettingsFault[]> {
  const names = [".dt/commands", ".dt/extensions", ".gemini/extensions"];
  const directories = names.map((name) => path.join(workspace, name)).filter(mayExist);
  const filled = await Promise.all(directories.map(isFilled));
  return directories
    .filter((_, index) => filled[index])
    .map((file) => ({ file, key: "", problem: describeUntrusted(workspace) }));
}

async function isFilled(directory: string): Promise<boolean> {
  return (await readdir(directory).catch(() => [])).length > 0;
}
