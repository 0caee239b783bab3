import path from "node:path";
import { SETTINGS_DEFAULTS } from "../settings-defaults.js";
import { listDirectories, type MayExist } from "./directory-listing.js";
import { findNames } from "./known-names.js";

/** Directories that configuration is read from, and the current time. */
export interface ConfigurationDirectories {
  /** The person's home directory. */
  readonly home: string;
  readonly workspace: string;
  readonly now: Date;
}

const CONTEXT_FILES = SETTINGS_DEFAULTS.contextFileNames;

/**
 * Finds the configuration directories and default context files that exist, and lists those directories. The
 * returned function is false for a configuration file that certainly does not exist.
 */
export async function listConfiguration(directories: ConfigurationDirectories): Promise<MayExist> {
  const { home, workspace, now } = directories;
  const wanted = [
    { directory: home, names: [".gemini", ...CONTEXT_FILES] },
    { directory: path.join(home, ".config"), names: ["dt", "gemini-cli"] },
    { directory: workspace, names: [".dt", ".gemini", ".git", ...CONTEXT_FILES] },
  ];
  const found = await Promise.all(wanted.map((names) => findNames(names, now)));
  const checked = wanted.flatMap(({ directory, names }, index) =>
    names.map((name) => ({
      file: path.join(directory, name),
      isPresent: found[index]?.has(name) === true,
    })),
  );
  const absent = new Set(checked.filter(({ isPresent }) => !isPresent).map(({ file }) => file));
  const folders = CONFIGURATION_FOLDERS.map(([parent, name]) =>
    path.join(parent === "home" ? home : workspace, name),
  );
  const isListed = await listDirectories(folders.filter((folder) => !absent.has(folder)));
  return (file) => !absent.has(file) && !absent.has(path.dirname(file)) && isListed(file);
}

const CONFIGURATION_FOLDERS = [
  ["home", ".config/dt"],
  ["home", ".config/gemini-cli"],
  ["home", ".gemini"],
  ["workspace", ".dt"],
  ["workspace", ".gemini"],
] as const;
