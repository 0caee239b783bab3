import type { JsonObject } from "@dt/schema";

/** One thing that the stand-in does in a turn. */
export type StandInStep =
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "think"; readonly subject: string; readonly description: string }
  | { readonly type: "cite"; readonly text: string }
  /** The calls of one step of the model. */
  | { readonly type: "call"; readonly calls: readonly StandInCall[] }
  /** The model fails; the stand-in goes on with the next step, as the peer does when it retries. */
  | { readonly type: "fail"; readonly message: string; readonly error: string }
  /** Waits for a promise, or for the end of the turn where none is given. */
  | { readonly type: "wait"; readonly until?: Promise<unknown> }
  /** Any status update, for what the peer may send one day. */
  | { readonly type: "raw"; readonly metadata: JsonObject; readonly parts: readonly JsonObject[] };

/** A call, and what becomes of it. */
export interface StandInCall {
  readonly name: string;
  readonly args: JsonObject;
  /** What is asked before it runs; without it nobody is asked. */
  readonly confirmation?: JsonObject;
  /** What `resultDisplay` shows in the end. */
  readonly result?: unknown;
  /** What the model is told. */
  readonly output?: string;
  /** Why it fails: while it runs, or before where `isInvalid`. */
  readonly error?: {
    readonly message: string;
    readonly type: string;
    readonly isInvalid?: boolean;
  };
  /** Screens of live output, each in place of the one before. */
  readonly live?: readonly string[];
  /** What it waits for while it runs. */
  readonly until?: Promise<unknown>;
}

/** A turn: what is done, in order. */
export type StandInTurn = readonly StandInStep[];

/** Steps and calls for scripts, ready made. */
export const geminiScript = {
  /** The agent says something. */
  say,
  /** The model calls tools in one step. */
  call,
  /** A call that writes a file, and asks first. */
  writeFile,
  /** A call that runs a command, and asks first. */
  runShell,
} as const;

function say(text: string): StandInStep {
  return { type: "say", text };
}

function call(...calls: readonly StandInCall[]): StandInStep {
  return { type: "call", calls };
}

function writeFile(filePath: string, content: string, originalContent = ""): StandInCall {
  const fileName = filePath.split("/").at(-1) ?? filePath;
  const file = { fileName, filePath, originalContent, newContent: content };
  const fileDiff = `--- ${fileName}\n+++ ${fileName}\n`;
  return {
    name: "write_file",
    args: { file_path: filePath, content },
    confirmation: { type: "edit", title: `Confirm Write: ${fileName}`, ...file, fileDiff },
    result: { ...file, fileDiff, isNewFile: originalContent === "", diffStat: {} },
    output: `Successfully wrote ${filePath}.`,
  };
}

// The peer calls it a success whatever it exits with.
function runShell(command: string, live: readonly string[] = []): StandInCall {
  return {
    name: "run_shell_command",
    args: { command, description: "run a command" },
    confirmation: {
      type: "exec",
      title: "Confirm Shell Command",
      command,
      rootCommand: command.split(" ")[0],
    },
    live,
    result: live.at(-1) ?? "",
    output: `Command: ${command}\nOutput: ${live.at(-1) ?? ""}\nExit Code: 0`,
  };
}
