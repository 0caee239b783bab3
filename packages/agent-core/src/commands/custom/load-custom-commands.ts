import { readFile } from "node:fs/promises";
import { createFileCache } from "../../settings/files/file-cache.js";
import { SettingsError, type SettingsFault } from "../../settings/settings-error.js";
import type { Workspace } from "../../workspace/workspace.js";
import type { Command } from "../command.js";
import { type CommandNode, toCommands } from "./command-tree.js";
import { type FoundCommandFile, findCommandFiles } from "./find-command-files.js";
import { type CommandFile, parseCommandFile } from "./parse-command-file.js";
import { runCustomCommand } from "./run-custom-command.js";

/** Options of {@link loadCustomCommands}. */
export interface LoadCustomCommandsOptions {
  /**
   * Absolute paths of folders with command files. If two folders contain a command of the same name, the
   * first folder has precedence. The workspace's own folder is included only if the person trusts the
   * workspace.
   */
  readonly directories: readonly string[];
  /** Workspace that contains the files for `@{file}`. */
  readonly workspace: Workspace;
  /** Names that no top-level command may have, such as the names of the built-in commands. */
  readonly takenNames: readonly string[];
}

/** The loaded commands, and warnings about files that are not used. */
export interface LoadedCommands {
  readonly commands: readonly Command[];
  /** Reasons why files are not used, with the line if it is known. The commands of all other files work. */
  readonly warnings: readonly SettingsFault[];
}

/** Parsed files. All sessions share them, because the sessions of one person have the same commands. */
const PARSED_FILES = createFileCache<CommandFile>(256);

/** Loads commands from `*.md` files. A folder becomes a group. */
export async function loadCustomCommands(
  options: LoadCustomCommandsOptions,
): Promise<LoadedCommands> {
  const warnings: SettingsFault[] = [];
  const nodes = new Map<string, CommandNode>();
  for (const directory of options.directories) {
    const found = await findCommandFiles(directory);
    warnings.push(...found.warnings);
    for (const file of found.files) {
      const key = file.path.join(" ");
      const name = file.path[0] ?? "";
      if (options.takenNames.includes(name)) warnings.push(toTakenFault(file.file, name));
      else if (!nodes.has(key)) {
        const node = await loadFile(file, options.workspace, warnings);
        if (node !== undefined) nodes.set(key, node);
      }
    }
  }
  return { commands: toCommands([...nodes.values()]), warnings };
}

async function loadFile(
  found: FoundCommandFile,
  workspace: Workspace,
  warnings: SettingsFault[],
): Promise<CommandNode | undefined> {
  const { file, path } = found;
  try {
    const parsed =
      PARSED_FILES.find([found]) ?? (await parseCommandFile(file, await readFile(file, "utf8")));
    PARSED_FILES.set([found], parsed);
    const { segments } = parsed;
    return {
      path,
      description: parsed.description ?? `the prompt in ${file}`,
      arguments: parsed.arguments,
      asksFirst: () => segments.some((segment) => segment.type === "shell"),
      run: ({ args }) => runCustomCommand({ file, path, segments, workspace }, args.trim()),
    };
  } catch (error) {
    if (error instanceof SettingsError) warnings.push(...error.faults);
    else if (error instanceof Error && "code" in error) {
      warnings.push({ file, key: "", problem: `cannot be read: ${error.message}` });
    } else throw error;
    return undefined;
  }
}

function toTakenFault(file: string, name: string): SettingsFault {
  return { file, key: "", problem: `is not used, because /${name} is built in; rename the file` };
}
