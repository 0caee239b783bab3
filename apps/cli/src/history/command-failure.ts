import { type ToolCall, ToolCallStatus } from "@dt/schema";

/** How a shell command failed, and what it had printed. */
export interface CommandFailure {
  /** `exit code 3` or `ended by signal SIGKILL`. */
  readonly end: string;
  readonly output: string;
}

/**
 * The failure of a shell command that ran to its end. Its call succeeded, since the model gets the output,
 * but a person reads it as a failure. Undefined for every other call. Pure.
 */
export function findCommandFailure(call: ToolCall): CommandFailure | undefined {
  if (call.toolName !== "run_shell_command" || call.status !== ToolCallStatus.SUCCEEDED) return;
  const result = call.result?.$case === "output" ? call.result.value.result : undefined;
  if (result?.$case !== "text") return;
  const start = result.value.lastIndexOf("\n") + 1;
  const [, end] =
    /^(exit code: (?!0$)\d+|ended by signal \w+)$/.exec(result.value.slice(start)) ?? [];
  if (end === undefined) return;
  return { end: end.replace(":", ""), output: result.value.slice(0, start) };
}
