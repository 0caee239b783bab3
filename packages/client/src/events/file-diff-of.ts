import type { FileDiff, ToolCall } from "@dt/schema";

/**
 * Returns the change to a file that a tool call proposes while it asks, or made when it succeeded;
 * undefined for every other call.
 */
export function fileDiffOf({ confirmationRequest, result }: ToolCall): FileDiff | undefined {
  const asked = confirmationRequest?.details;
  if (asked?.$case === "fileEditDetails") return asked.value;
  const made = result?.$case === "output" ? result.value.result : undefined;
  return made?.$case === "diff" ? made.value : undefined;
}
