import { ToolError } from "../../../errors/tool-error.js";
import type { OutputFile } from "../../../workspace/output-file.js";
import type { ProcessEnd } from "../../../workspace/processes/run-process.js";

/** The error type and message of a failed command call. */
export interface CommandFailure {
  readonly type: string;
  readonly message: string;
}

/** The limits of a command, and the file of its output. */
export interface CommandLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly file: Pick<OutputFile, "path" | "failure">;
}

/**
 * Returns the failure of a command call; undefined if the command ran to its end, with any exit
 * code. Pure.
 */
export function findCommandFailure(
  { reason, exitCode, leftBehind, survivors }: ProcessEnd,
  { timeoutMs, maxOutputBytes, file }: CommandLimits,
): CommandFailure | undefined {
  const code = exitCode ?? "unknown";
  if (survivors.length > 0) {
    const message = `the command ended, but these processes that it started could not be ended: ${survivors.join(", ")}; end them by hand`;
    return { type: "processes_survived", message };
  }
  if (reason === "aborted") {
    return { type: "cancelled", message: "the command was cancelled and has been ended" };
  }
  if (reason === "timed-out") {
    const message = `the command ran longer than ${timeoutMs} ms and was ended with all of its processes; run a part of it, or set a greater timeout_ms`;
    return { type: "timed_out", message };
  }
  if (reason === "stopped") {
    const message = `the command printed more than ${maxOutputBytes} bytes and was ended; make it print less, or redirect its output to a file (the output so far is in ${file.path})`;
    return { type: "too_much_output", message };
  }
  if (leftBehind.length > 0) {
    const message = `the command ended with exit code ${code} but left processes running, which were ended: ${leftBehind.join(", ")}; run them in the foreground, or start, use and stop them in one command`;
    return { type: "left_processes", message };
  }
  if (file.failure === undefined) return undefined;
  const cause = file.failure instanceof Error ? file.failure.message : String(file.failure);
  // Other error types become `output_lost`, because they could be mistaken for errors of the command itself.
  const isFull = file.failure instanceof ToolError && file.failure.type === "disk_full";
  const type = isFull ? "disk_full" : "output_lost";
  const message = `the command ended with exit code ${code}, but its complete output could not be stored: ${cause}`;
  return { type, message };
}
