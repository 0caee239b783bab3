import { textOf } from "@dt/schema";
import type { LogEvent } from "./session-store.js";

/** Maximum number of characters of the last prompt. Lists of sessions show only its beginning. */
const MAX_LENGTH = 200;

/** Finds the beginning of the last prompt, or "(no text)"; undefined if the events contain no prompt. */
export function findLastPrompt(events: readonly LogEvent[]): string | undefined {
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index]?.event;
    if (event?.kind !== "USER_PROMPT") continue;
    const text = textOf(event.parts).trim().slice(0, MAX_LENGTH);
    return text || "(no text)";
  }
  return undefined;
}
