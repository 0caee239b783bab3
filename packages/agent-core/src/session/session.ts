import type { AgentPort } from "@dt/schema";
import type { SessionState } from "../record/session-state.js";

/** One conversation with its history, tools and workspace. Subscribers read its ledger. */
export interface Session extends AgentPort {
  /** Returns the current state of the session. */
  snapshot(): SessionState;
}
