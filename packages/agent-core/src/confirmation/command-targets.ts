import path from "node:path";
import { changesDirectory, programName, type ShellPart } from "../shell/shell-part.js";
import type { Action } from "../tools/action.js";
import { isInterpreter } from "./is-interpreter.js";

type Execution = Action & { type: "execute" };

// Programs that do not change the files in their arguments. They may read a file whose edit was rejected.
// Programs that run another command, such as `env` and `sh`, are included, because the other command is
// judged as a part of its own.
const READERS = new Set([
  ...["cat", "head", "tail", "wc", "stat", "file", "ls", "grep", "egrep", "fgrep", "diff", "cmp"],
  ...[
    "md5sum",
    "sha1sum",
    "sha256sum",
    "test",
    "[",
    "cd",
    "pwd",
    "echo",
    "printf",
    "true",
    "false",
  ],
  ...[":", "sleep", "which", "env", "command", "exec", "nohup", "nice", "time", "timeout", "xargs"],
  ...["sh", "bash", "dash", "sudo", "eval"],
]);

const FILE_CHANGERS = new Set([
  ...["rm", "mv", "cp", "ln", "tee", "touch", "truncate", "install", "unlink", "shred", "dd"],
  ...["sed", "patch", "chmod", "chown"],
]);

/**
 * Returns the targets of a rejected command: its text, the parts that do more than read, and the files that
 * the command changes. If all parts only read, all of them are targets.
 */
export function commandTargets(action: Execution): readonly string[] {
  const { parts = [] } = action;
  const active = parts.filter((part) => part.program !== undefined && !isReader(part));
  const relevant = active.length > 0 ? active : parts.filter(hasProgram);
  const files = active
    .filter(({ program = "" }) => FILE_CHANGERS.has(programName(program)))
    .flatMap((part) => pathsOf(part.args, action));
  const writes = parts.flatMap((part) => pathsOf(part.writes, action));
  return unique([
    textTarget(action),
    ...relevant.flatMap((part) => spellings(part, action)),
    ...[...files, ...writes].map((file) => `edit:${file}`),
  ]);
}

/** Returns all targets that a command touches, to compare them with rejected targets. */
export function touchedByCommand(action: Execution): readonly string[] {
  const { parts = [] } = action;
  const touched = parts.flatMap((part) => [
    ...spellings(part, action),
    ...pathsOf(part.args, action).flatMap((file) =>
      isReader(part) ? [`read:${file}`] : [`read:${file}`, `edit:${file}`],
    ),
    ...pathsOf(part.writes, action).map((file) => `edit:${file}`),
    ...part.args.filter((arg) => arg?.includes("://")).map((url) => `fetch:${url}`),
  ]);
  return unique([textTarget(action), ...touched]);
}

/** Returns true if a command may touch files that are not among its arguments. */
export function isUnclear({ parts }: Execution): boolean {
  if (parts === undefined) return true;
  return parts.some(
    (part) =>
      part.program === undefined ||
      isInterpreter(part.program) ||
      (changesDirectory(part) && part.args.includes(undefined)),
  );
}

function hasProgram({ program }: ShellPart): boolean {
  return program !== undefined;
}

function isReader({ program }: ShellPart): boolean {
  return program !== undefined && READERS.has(programName(program));
}

// Returns two targets of a part: its words as written, and its words resolved as paths. Resolved words are
// needed because `rm x`, `rm ./x` and `/bin/rm /w/x` do the same. Words as written are needed because
// `git push origin` does the same in every directory.
function spellings({ program, args }: ShellPart, { directory }: Execution): readonly string[] {
  if (program === undefined) return [];
  const name = programName(program);
  const resolved = args.map((arg) =>
    arg === undefined || arg.startsWith("-") ? arg : path.resolve(directory, arg),
  );
  return [args, resolved].map((words) => `command:${JSON.stringify([name, ...words])}`);
}

function textTarget({ command }: Execution): string {
  return `text:${command.trim().replace(/\s+/g, " ")}`;
}

/** Resolves words as paths, from the directory of the command and from each directory that it enters. */
function pathsOf(words: ShellPart["args"], action: Execution): readonly string[] {
  const directories = directoriesOf(action);
  return words
    .filter((word) => word !== undefined)
    .flatMap((word) => [word, ...attachedValue(word)])
    .flatMap((word) => directories.map((directory) => path.resolve(directory, word)));
}

// Finds the value in `of=a.txt`, `--output=a.txt` and `-oa.txt`.
function attachedValue(word: string): readonly string[] {
  const [, value] = /^-?-?[\w-]+=(.+)$/s.exec(word) ?? /^-\w(.+)$/s.exec(word) ?? [];
  return value === undefined ? [] : [value];
}

function directoriesOf({ directory, parts = [] }: Execution): readonly string[] {
  const directories = [directory];
  for (const part of parts.filter(changesDirectory)) {
    directories.push(path.resolve(directories.at(-1) ?? directory, part.args[0] ?? "."));
  }
  return unique(directories);
}

function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)];
}
