import { cleanEnvironment } from "../../workspace/processes/clean-environment.js";
import type { Tool } from "../tool.js";
import { createOwnEdits } from "./edit/own-edits.js";
import { createReplace } from "./edit/replace.js";
import { createWriteFile } from "./edit/write-file.js";
import { createReadFile } from "./read-file.js";
import { createSaveMemory } from "./save-memory.js";
import { createGlob } from "./search/glob.js";
import { listDirectory } from "./search/list-directory.js";
import type { RipgrepOptions } from "./search/run-ripgrep.js";
import { createSearchFileContent } from "./search/search-file-content.js";
import { createRunShellCommand } from "./shell/run-shell-command.js";
import { createWebFetch, type WebFetchOptions } from "./web-fetch.js";

/** What the tools of one session may use. */
export interface BuiltinToolsOptions {
  /** The environment of the app; child processes get what is harmless of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Further variables that child processes get, by name. */
  readonly keepVariables?: readonly string[];
  /** Where the whole output of commands is kept; the app tidies it up. */
  readonly outputDirectory: string;
  /** Where `save_memory` writes. */
  readonly memoryFile: string;
  readonly web?: WebFetchOptions;
  readonly ripgrep?: Pick<RipgrepOptions, "findRipgrep">;
}

/**
 * The tools of one session: each session gets its own, since they know what its commands
 * printed and what its edits made of files.
 */
export function createBuiltinTools(options: BuiltinToolsOptions): readonly Tool[] {
  const environment = cleanEnvironment(options.environment, options.keepVariables);
  const outputFiles = new Set<string>();
  const isOwnOutput = (absolute: string) => outputFiles.has(absolute);
  const ripgrep = { ...options.ripgrep, environment };
  return [
    createReadFile({ isOwnOutput }),
    listDirectory,
    createGlob(ripgrep),
    createSearchFileContent({ ...ripgrep, isOwnOutput }),
    ...createEditTools(),
    createRunShellCommand({
      environment,
      outputDirectory: options.outputDirectory,
      onOutputFile: (file) => outputFiles.add(file),
    }),
    createWebFetch(options.web),
    createSaveMemory(options),
  ];
}

/** The tools for files alone: they need nothing but a workspace. */
export const builtinTools: readonly Tool[] = [
  createReadFile(),
  listDirectory,
  createGlob(),
  createSearchFileContent(),
  ...createEditTools(),
];

/** The tools that edit files: they know of each other's edits. */
function createEditTools(): readonly Tool[] {
  const ownEdits = createOwnEdits();
  return [createWriteFile({ ownEdits }), createReplace({ ownEdits })];
}
