import type { CallScope } from "../turn/turn-scope.js";
import type { PlanScope } from "./calls/plan-call.js";

/** The state and functions that one turn of an external agent uses. */
export interface ExternalScope extends CallScope, PlanScope {
  /** Name of the agent, for messages. */
  readonly agentName: string;
  /** Returns false for a tool that the server's policy forbids. */
  isToolAllowed(name: string): boolean;
}
