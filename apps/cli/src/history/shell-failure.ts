import { type ToolCall, ToolCallStatus } from "@dt/schema";

/** The failure of a shell command. */
export interface ShellFailure {
  /** The end of the command, for example `exit code 3` or `ended by signal SIGKILL`. */
  readonly end: string;
  readonly output: string;
}

/**
 * Finds the failure of a shell command that ran to its end. The tool call of such a command has the status
 * SUCCEEDED, because the tool has an output for the model, but a person expects to see a failure. Pure.
 */
export function findShellFailure(call: ToolCall): ShellFailure | undefined {
  if (call.toolName !== "run_shell_command" || call.status !== ToolCallStatus.SUCCEEDED) return;
  const result = call.result?.$case === "output" ? call.result.value.result : undefined;
  if (result?.$case !== "text") return;
  const start = result.value.lastIndexOf("\n") + 1;
  const [, end] =
    /^(exit code: (?!0$)\d+|ended by signal \w+)$/.exec(result.value.slice(start)) ?? [];
  if (end === undefined) return;
  return { end: end.replace(":", ""), output: result.value.slice(0, start) };
}
