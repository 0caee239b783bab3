import { readFile } from "node:fs/promises";
import { SettingsError, type SettingsFault } from "../../settings/settings-error.js";
import type { Workspace } from "../../workspace/workspace.js";
import type { Command } from "../command.js";
import { type CommandNode, toCommands } from "./command-tree.js";
import { type FoundCommandFile, findCommandFiles } from "./find-command-files.js";
import { parseCommandFile } from "./parse-command-file.js";
import { runCustomCommand } from "./run-custom-command.js";

/** Where commands are looked for. */
export interface LoadCustomCommandsOptions {
  /**
   * Absolute; the first that has a command of some name wins. `.dt/commands` of the workspace belongs here
   * only where the person trusts the workspace.
   */
  readonly directories: readonly string[];
  /** What `@{file}` is read from. */
  readonly workspace: Workspace;
  /** Names at the root of the tree that are not to be had, as those of the built-in commands. */
  readonly takenNames: readonly string[];
}

/** The commands there are, and what is wrong with others. */
export interface LoadedCommands {
  readonly commands: readonly Command[];
  /** Files that are no commands; each with its line where that is known. The rest works. */
  readonly warnings: readonly SettingsFault[];
}

/** Loads commands from `*.md` files; a folder is a group. */
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
      if (options.takenNames.includes(name)) warnings.push(taken(file.file, name));
      else if (!nodes.has(key)) {
        const node = await loadFile(file, options.workspace, warnings);
        if (node !== undefined) nodes.set(key, node);
      }
    }
  }
  return { commands: toCommands([...nodes.values()]), warnings };
}

async function loadFile(
  { file, path }: FoundCommandFile,
  workspace: Workspace,
  warnings: SettingsFault[],
): Promise<CommandNode | undefined> {
  try {
    const parsed = await parseCommandFile(file, await readFile(file, "utf8"));
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

function taken(file: string, name: string): SettingsFault {
  return { file, key: "", problem: `is not used: /${name} is built in` };
}
