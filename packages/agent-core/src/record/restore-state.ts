import type { JsonObject } from "@dt/schema";
import type { JournalRecord } from "./journal-record.js";
import { reduceSessionState } from "./reduce-session-state.js";
import { emptySessionState, type SessionState } from "./session-state.js";

/** The state that a session had written down when it stopped. */
export function restoreState(journal: readonly JsonObject[] = []): SessionState {
  // A journal holds what a session wrote before.
  return (journal as readonly JournalRecord[]).reduce(reduceSessionState, emptySessionState);
}
