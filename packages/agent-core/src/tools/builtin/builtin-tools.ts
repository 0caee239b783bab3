import { cleanEnvironment } from "../../workspace/processes/clean-environment.js";
import type { Sandbox } from "../../workspace/processes/sandbox.js";
import type { Tool } from "../tool.js";
import { createOwnEdits, type OwnEdits } from "./edit/own-edits.js";
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
import { writeTodos } from "./write-todos.js";

/** Options of {@link createBuiltinTools}. */
export interface BuiltinToolsOptions {
  /** Environment of the app. Child processes get only its harmless variables and `keepVariables`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of other variables of the environment that child processes also get. */
  readonly keepVariables?: readonly string[];
  /** Directory for the complete output of commands; the app deletes old files. */
  readonly outputDirectory: string;
  /** The file that `save_memory` writes. */
  readonly memoryFile: string;
  /**
   * Monotonic clock in milliseconds, for timeouts of processes. Default: the clock of this machine.
   */
  readonly elapsedMs?: () => number;
  /** Record of the files that the session has written. Default: an empty record. */
  readonly written?: WrittenFiles;
  /** Sandbox of shell commands. Default: none. */
  readonly sandbox?: Sandbox | undefined;
  readonly web?: WebFetchOptions;
  readonly ripgrep?: Pick<RipgrepOptions, "findRipgrep">;
}

/** Files that the tools of one session have written. */
export interface WrittenFiles {
  /** Paths of the files that contain the complete output of commands. */
  readonly outputs: Set<string>;
  readonly edits: OwnEdits;
}

/** Creates an empty record of written files. */
export function createWrittenFiles(): WrittenFiles {
  return { outputs: new Set(), edits: createOwnEdits() };
}

/** Creates the tools of one session. `written` is their only state. */
export function createBuiltinTools(options: BuiltinToolsOptions): readonly Tool[] {
  const { elapsedMs, written = createWrittenFiles() } = options;
  const environment = cleanEnvironment(options.environment, options.keepVariables);
  const isOwnOutput = (absolute: string) => written.outputs.has(absolute);
  const ripgrep = { ...options.ripgrep, environment, elapsedMs };
  return [
    createReadFile({ isOwnOutput }),
    listDirectory,
    createGlob(ripgrep),
    createSearchFileContent({ ...ripgrep, isOwnOutput }),
    ...createEditTools(written.edits),
    createRunShellCommand({
      environment,
      elapsedMs,
      outputDirectory: options.outputDirectory,
      sandbox: options.sandbox,
      onOutputFile: (file) => written.outputs.add(file),
    }),
    createWebFetch(options.web),
    createSaveMemory(options),
    writeTodos,
  ];
}

/** The tools that read, search and edit files, with default options. */
export const fileTools: readonly Tool[] = [
  createReadFile(),
  listDirectory,
  createGlob(),
  createSearchFileContent(),
  ...createEditTools(createOwnEdits()),
];

/** Creates the tools that edit files; they share a record of their edits. */
function createEditTools(ownEdits: OwnEdits): readonly Tool[] {
  return [createWriteFile({ ownEdits }), createReplace({ ownEdits })];
}
