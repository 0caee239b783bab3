import type { JsonObject } from "@dt/schema";
import type { JournalRecord } from "./journal-record.js";
import { reduceSessionState } from "./reduce-session-state.js";
import { EMPTY_SESSION_STATE, type SessionState } from "./session-state.js";

/** Restores the state of a session from its journal. */
export function restoreState(journal: readonly JsonObject[] = []): SessionState {
  // The cast is safe because only a session writes its journal.
  return (journal as readonly JournalRecord[]).reduce(reduceSessionState, EMPTY_SESSION_STATE);
}
