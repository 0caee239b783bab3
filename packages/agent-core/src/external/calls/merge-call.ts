import type { ExternalCall, ExternalDiff, FileDiff, ToolCall, ToolOutput } from "@dt/schema";
import { buildFileDiff } from "../../workspace/text/file-diff.js";
import { cutText } from "../cut-text.js";
import { displayPath } from "../display-path.js";

/** Maximum size of a call's text in events, in characters. */
const MAX_TEXT = 64_000;
/** Maximum size of a call's live text, in characters. */
const MAX_LIVE_TEXT = 4_000;

/** Applies the fields of an update to what is known about a call. Pure. */
export function mergeCall(known: ExternalCall, update: ExternalCall): ExternalCall {
  const changed = Object.entries(update).filter(([, value]) => value !== undefined);
  return { ...known, ...Object.fromEntries(changed) };
}

/** Builds the tool call by which dt shows a call of an external agent. */
export function toPendingCall(toolCallId: string, call: ExternalCall): ToolCall {
  return {
    toolCallId,
    toolName: call.toolName ?? call.kind ?? "tool",
    ...(call.title !== undefined && { description: call.title }),
    status: "PENDING",
    inputParameters: call.input ?? {},
    result: undefined,
  };
}

/**
 * Returns the result of a call: its diff if it has exactly one, else one text with the diffs and the text of
 * the call, cut at {@link MAX_TEXT} characters.
 */
export function toOutput({ diffs = [], text = "" }: ExternalCall, root: string): ToolOutput {
  const [only] = diffs;
  if (diffs.length === 1 && only !== undefined) {
    return { result: { $case: "diff", value: toFileDiff(only, root) } };
  }
  const formatted = formatDiffs(diffs, root);
  const parts = [...formatted, text].filter((part) => part !== "");
  const left = diffs.length - formatted.length;
  const note = left === 0 ? "" : `\n[${left} diffs left out]`;
  return { result: { $case: "text", value: `${cutText(parts.join("\n"), MAX_TEXT)}${note}` } };
}

// Formats diffs until the text of the result is full. A message has room for thousands of diffs, and the event loop
// waits while they are computed.
function formatDiffs(diffs: readonly ExternalDiff[], root: string): readonly string[] {
  const formatted: string[] = [];
  let size = 0;
  for (const diff of diffs) {
    if (size > MAX_TEXT) break;
    const { formattedDiff = "" } = toFileDiff(diff, root);
    formatted.push(formattedDiff);
    size += formattedDiff.length;
  }
  return formatted;
}

function toFileDiff({ path, oldText, newText }: ExternalDiff, root: string): FileDiff {
  return buildFileDiff(displayPath(path, root), oldText, newText);
}

/** Returns the message of a call that failed. */
export function toFailure({ text = "" }: ExternalCall): string {
  return text.trim() === "" ? "the agent reports that the call failed" : cutText(text, MAX_TEXT);
}

/** Returns the newest part of a running call's text; undefined if there is none. */
export function toLiveText({ text = "" }: ExternalCall): string | undefined {
  return text === "" ? undefined : text.slice(-MAX_LIVE_TEXT);
}
