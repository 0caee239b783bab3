import type { JsonObject } from "@dt/schema";

/** One step of a turn of the stand-in. */
export type StandInStep =
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "think"; readonly subject: string; readonly description: string }
  | { readonly type: "cite"; readonly text: string }
  /** Calls that the model requests in one step. */
  | { readonly type: "call"; readonly calls: readonly StandInCall[] }
  /** The model fails. The stand-in continues with the next step, like the peer after a retry. */
  | { readonly type: "fail"; readonly message: string; readonly error: string }
  /** Waits for the promise `until`, or for the end of the turn if `until` is absent. */
  | { readonly type: "wait"; readonly until?: Promise<unknown> }
  /** Any status update, for example of a kind that only a newer version of the peer has. */
  | { readonly type: "raw"; readonly metadata: JsonObject; readonly parts: readonly JsonObject[] };

/** A call and its results. */
export interface StandInCall {
  readonly name: string;
  readonly args: JsonObject;
  /** Question that the call asks before it runs; absent if the call does not ask. */
  readonly confirmation?: JsonObject;
  /** Final value of `resultDisplay`. */
  readonly result?: unknown;
  /** Text for the model. */
  readonly output?: string;
  /** Reason why the call fails while it runs, or before it runs if `isInvalid` is true. */
  readonly error?: {
    readonly message: string;
    readonly type: string;
    readonly isInvalid?: boolean;
  };
  /** Screens of live output, each of which replaces the one before. */
  readonly live?: readonly string[];
  /** Promise that the running call waits for. */
  readonly until?: Promise<unknown>;
}

/** Steps of a turn, in order. */
export type StandInTurn = readonly StandInStep[];

/** Builders of steps and calls for scripts. */
export const geminiScript = {
  /** Text that the agent sends. */
  say,
  /** Calls that the model requests in one step. */
  call,
  /** A call that writes a file and asks first. */
  writeFile,
  /** A call that runs a command and asks first. */
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

// Builds a shell call that succeeds, because the peer reports success for any exit code.
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
