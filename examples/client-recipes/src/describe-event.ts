// region: snippet
import { isPrompt, isText, isThought, isToolCall, isUnknown, type SessionEvent } from "@dt/client";

/** Returns a line for an event, or undefined if there is nothing to show. */
export function describeEvent(event: SessionEvent): string | undefined {
  if (isPrompt(event)) return `> ${event.origin?.name}`;
  if (isText(event)) return event.text;
  if (isThought(event)) return `(${event.thought.subject}: ${event.thought.description})`;
  if (isToolCall(event)) return `[${event.toolCall.toolName} ${event.toolCall.status}]`;
  // A newer agent may send kinds of events that this version does not know.
  if (isUnknown(event)) return "[an event that this version cannot show]";
  return undefined;
}
// endregion
