import type { FileDiff, ToolCall } from "@dt/schema";

/**
 * Returns the change of a file that a tool call has made, or that it proposes in its question. Returns undefined
 * for every other call.
 */
export function fileDiffOf({ confirmationRequest, result }: ToolCall): FileDiff | undefined {
  const proposed = confirmationRequest?.details;
  if (proposed?.$case === "fileEditDetails") return proposed.value;
  const made = result?.$case === "output" ? result.value.result : undefined;
  return made?.$case === "diff" ? made.value : undefined;
}
