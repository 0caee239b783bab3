import { readdir } from "node:fs/promises";
import path from "node:path";
import type { ServerPolicy } from "@dt/schema";
import type { ExtensionService } from "../commands/command-services.js";
import { createExtensionSwitches } from "../extensions/extension-switches.js";
import { type Contributions, joinExtensions } from "../extensions/join-extensions.js";
import { loadExtensions } from "../extensions/load-extensions.js";
import type { MayExist } from "../settings/files/directory-listing.js";
import { listConfiguration } from "../settings/files/list-configuration.js";
import { loadSettings } from "../settings/load-settings.js";
import type { Settings } from "../settings/settings.js";
import { describeFault, type SettingsFault } from "../settings/settings-error.js";
import { createTrust, describeUntrusted, type Trust, trustFile } from "../settings/trust.js";

/** Sources of the configuration. */
export interface ConfigurationSources {
  /** The person's home directory. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Root of the workspace, with all links resolved. */
  readonly workspace: string;
  readonly now: Date;
  /** File with the defaults of every session. */
  readonly defaultsFile?: string | undefined;
  /** Limits that no source can loosen. */
  readonly policy?: ServerPolicy | undefined;
}

/** Settings and extensions of one session. */
export interface Configuration {
  readonly settings: Settings;
  /** Contributions of the settings and of the enabled extensions. */
  readonly joined: Contributions;
  readonly extensions: ExtensionService;
  readonly trust: Trust;
  /** Directory of the person's own configuration. */
  readonly directory: string;
  /** Directories of custom commands. The first one has precedence. */
  readonly commandDirectories: readonly string[];
}

/** A configuration, and values that are needed only while its session is opened. */
export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** Returns false for a configuration file that did not exist when the session was opened. */
  readonly mayExist: MayExist;
  /** Files and settings that were ignored, with the reason. */
  readonly warnings: readonly string[];
}

/** Reads settings and extensions. An untrusted workspace contributes nothing. */
export async function loadConfiguration(
  sources: ConfigurationSources,
  flags: Settings,
): Promise<LoadedConfiguration> {
  const directory = path.join(sources.home, ".config", "dt");
  const trust = createTrust({ file: trustFile(sources.home) });
  const switchFile = path.join(directory, "extensions.json");
  const switches = createExtensionSwitches({ file: switchFile });
  const mayExist = await listConfiguration(sources);
  const [isTrusted, switchedOff] = await Promise.all([
    mayExist(trustFile(sources.home)) && trust.isTrusted(sources.workspace),
    mayExist(switchFile) ? switches.disabled() : [],
  ]);
  const { settings, warnings } = await loadSettings({ ...sources, isTrusted, flags, mayExist });
  const load = async (off: readonly string[], only?: MayExist) =>
    await loadExtensions({
      ...sources,
      isTrusted,
      disabled: [...(settings.extensions?.disabled ?? []), ...off],
      ...(only && { mayExist: only }),
    });
  const loaded = await load(switchedOff, mayExist);
  const joined = joinExtensions(settings, loaded.extensions);
  const ignored = isTrusted ? [] : await findIgnored(sources.workspace, mayExist);
  const configuration = {
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
      ...(isTrusted ? [path.join(sources.workspace, ".dt", "commands")] : []),
      path.join(directory, "commands"),
      ...joined.commandsDirectories,
    ].filter(mayExist),
  };
  const faults = [...warnings, ...loaded.warnings, ...ignored];
  return { configuration, mayExist, warnings: faults.map(describeFault) };
}

/** Returns a warning for each non-empty directory of commands or extensions in an untrusted workspace. */
async function findIgnored(
  workspace: string,
  mayExist: MayExist,
): Promise<readonly SettingsFault[]> {
  const names = [".dt/commands", ".dt/extensions", ".gemini/extensions"];
  const directories = names.map((name) => path.join(workspace, name)).filter(mayExist);
  const filled = await Promise.all(directories.map(hasEntries));
  return directories
    .filter((_, index) => filled[index])
    .map((file) => ({ file, key: "", problem: describeUntrusted(workspace) }));
}

async function hasEntries(directory: string): Promise<boolean> {
  return (await readdir(directory).catch(() => [])).length > 0;
}
