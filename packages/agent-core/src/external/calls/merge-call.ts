import type { ExternalCall, ToolCall, ToolOutput } from "@dt/schema";
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

/** Returns the result of a call: its diff if it has exactly one, else all diffs and the text. */
export function toOutput({ diffs = [], text }: ExternalCall, root: string): ToolOutput {
  const shown = diffs.map(({ path, oldText, newText }) =>
    buildFileDiff(displayPath(path, root), oldText, newText),
  );
  const [only] = shown;
  if (shown.length === 1 && only !== undefined) return { result: { $case: "diff", value: only } };
  const parts = [...shown.map(({ formattedDiff = "" }) => formattedDiff), text ?? ""];
  const value = cutText(parts.filter((part) => part !== "").join("\n"), MAX_TEXT);
  return { result: { $case: "text", value } };
}

/** Returns the message of a call that failed. */
export function toFailure({ text = "" }: ExternalCall): string {
  return text.trim() === "" ? "the agent reports that the call failed" : cutText(text, MAX_TEXT);
}

/** Returns the newest part of a running call's text; undefined if there is none. */
export function toLiveText({ text = "" }: ExternalCall): string | undefined {
  return text === "" ? undefined : text.slice(-MAX_LIVE_TEXT);
}
