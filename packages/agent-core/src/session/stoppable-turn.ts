import { setMaxListeners } from "node:events";
import { SessionClosingError } from "../errors/session-closing-error.js";
import type { AcceptedPrompt } from "../record/session-state.js";
import type { TurnEnd } from "../record/turn-records.js";

/** A reason to stop a turn before its engine has finished. */
export type StopReason = "cancelled" | "over-limit" | "closing";

/** A running turn that its worker can stop. */
export interface StoppableTurn {
  readonly prompt: AcceptedPrompt;
  /** Aborts for every reason to stop the turn. There is only one signal, because each signal costs memory. */
  readonly signal: AbortSignal;
  stop(reason: StopReason): void;
  /** Returns the end of the turn. `error` is the reason why the engine failed, if it did. */
  endWith(error: string | undefined): Pick<TurnEnd, "state" | "error">;
}

/** Creates the turn of a prompt; nothing has stopped it yet. */
export function createStoppableTurn(prompt: AcceptedPrompt): StoppableTurn {
  const abort = new AbortController();
  const reasons = new Set<StopReason>();
  // Every call of a step adds a listener, so Node would warn at its default limit of 10.
  setMaxListeners(0, abort.signal);
  return {
    prompt,
    signal: abort.signal,
    stop(reason) {
      reasons.add(reason);
      abort.abort(reason === "closing" ? new SessionClosingError() : undefined);
    },
    endWith: (error) => toTurnEnd(reasons, error),
  };
}

/** Returns the end of a turn. After a cancel, an error is ignored, because the abort may have caused it. Pure. */
function toTurnEnd(
  reasons: ReadonlySet<StopReason>,
  error: string | undefined,
): Pick<TurnEnd, "state" | "error"> {
  if (reasons.has("cancelled")) return { state: "canceled" };
  if (error !== undefined) return { state: "failed", error };
  if (!reasons.has("over-limit")) return { state: "completed" };
  return {
    state: "failed",
    error: "the turn was stopped because it worked longer than its limit",
  };
}
