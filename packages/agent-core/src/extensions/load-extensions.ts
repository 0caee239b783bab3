import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { ServerPolicy } from "@dt/schema";
import type { Environment } from "../settings/environment-settings.js";
import type { MayExist } from "../settings/files/directory-listing.js";
import { narrowServers } from "../settings/policy/narrow-settings.js";
import { SettingsError, type SettingsFault } from "../settings/settings-error.js";
import type { Extension } from "./extension.js";
import { type ExtensionManifest, findManifest } from "./extension-manifest.js";

/** Options of {@link loadExtensions}. */
export interface LoadExtensionsOptions {
  /** The person's home directory. */
  readonly home: string;
  readonly workspace: string;
  /** True if the person trusts the workspace. Extensions of an untrusted workspace are not read. */
  readonly isTrusted: boolean;
  /** Values for `${NAME}` in manifests. */
  readonly environment: Environment;
  /** Names of the extensions that the person has disabled. */
  readonly disabled: readonly string[];
  /** Returns false for directories that are known not to exist. */
  readonly mayExist?: MayExist;
  /** Limits on MCP servers. Default: no limits. */
  readonly policy?: ServerPolicy | undefined;
}

/** The extensions that were found, and warnings about faults in extensions. */
export interface LoadedExtensions {
  /** Sorted by name. */
  readonly extensions: readonly Extension[];
  /**
   * Reasons why extensions could not be loaded, and variables in manifests that are not set. A variable that
   * is not set does not stop its extension.
   */
  readonly warnings: readonly SettingsFault[];
}

/**
 * Finds all extensions. If several have the same name, the first one is used, in this order: the workspace
 * before the home directory, and dt's folder before Gemini CLI's.
 */
export async function loadExtensions(options: LoadExtensionsOptions): Promise<LoadedExtensions> {
  const extensions = new Map<string, Extension>();
  const warnings: SettingsFault[] = [];
  for (const directory of await findDirectories(options)) {
    try {
      const loaded = await loadExtension(directory, options);
      if (loaded === undefined || extensions.has(loaded.extension.name)) continue;
      extensions.set(loaded.extension.name, loaded.extension);
      warnings.push(...loaded.warnings);
    } catch (reason) {
      if (!(reason instanceof SettingsError)) throw reason;
      warnings.push(...reason.faults);
    }
  }
  const byName = [...extensions.values()].sort((a, b) => a.name.localeCompare(b.name, "en"));
  return { extensions: byName, warnings };
}

async function findDirectories(options: LoadExtensionsOptions): Promise<readonly string[]> {
  const { home, workspace, isTrusted, mayExist = () => true } = options;
  const parents = [
    ...(isTrusted ? [path.join(workspace, ".dt"), path.join(workspace, ".gemini")] : []),
    path.join(home, ".config", "dt"),
    path.join(home, ".gemini"),
  ]
    .map((parent) => path.join(parent, "extensions"))
    .filter(mayExist);
  const names = await Promise.all(parents.map((parent) => readdir(parent).catch(() => [])));
  return parents.flatMap((parent, index) =>
    [...(names[index] ?? [])].sort().map((name) => path.join(parent, name)),
  );
}

interface LoadedExtension {
  readonly extension: Extension;
  readonly warnings: readonly SettingsFault[];
}

async function loadExtension(
  directory: string,
  options: LoadExtensionsOptions,
): Promise<LoadedExtension | undefined> {
  const found = await findManifest(directory, {
    ...options.environment,
    extensionPath: directory,
    workspacePath: options.workspace,
    "/": path.sep,
    pathSeparator: path.sep,
  });
  if (found === undefined) return undefined;
  const { manifest, warnings } = found;
  const folders = [".dt", ".gemini"].map((name) => path.join(options.workspace, name));
  const isOfWorkspace = folders.includes(path.dirname(path.dirname(directory)));
  const servers = narrowServers(manifest.mcpServers ?? {}, options.policy ?? {}, {
    file: directory,
    source: isOfWorkspace ? "workspaces" : "host",
  });
  const commands = path.join(directory, "commands");
  const extension = {
    name: manifest.name,
    version: manifest.version,
    isEnabled: !options.disabled.includes(manifest.name),
    path: directory,
    mcpServers: servers.value,
    contextFiles: await findContextFiles(directory, manifest),
    excludedTools: manifest.excludeTools ?? [],
    commandsDirectory: (await isDirectory(commands)) ? commands : undefined,
  };
  return { extension, warnings: [...warnings, ...servers.warnings] };
}

// Finds the existing context files of an extension. Files outside the extension's folder are ignored.
async function findContextFiles(
  directory: string,
  { contextFileName = ["AGENTS.md", "GEMINI.md"] }: ExtensionManifest,
): Promise<readonly string[]> {
  const root = await realpath(directory);
  const files = [contextFileName].flat().map((name) => path.join(directory, name));
  const real = await Promise.all(files.map((file) => realpath(file).catch(() => undefined)));
  return files.filter((_, index) => real[index]?.startsWith(path.join(root, path.sep)));
}

async function isDirectory(directory: string): Promise<boolean> {
  return await stat(directory).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
