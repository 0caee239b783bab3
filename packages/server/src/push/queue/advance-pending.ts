/**
 * State of one push config in this process. Its progress is in the store, so a config that is idle or given up needs
 * no record here.
 */
export type PendingState =
  /** There is nothing to deliver, as far as this process knows. */
  | { readonly type: "idle" }
  /** The config is in the queue of its receiver. */
  | { readonly type: "queued" }
  /** A call is running. `hasNews` is true if the config was notified or woken since the call began. */
  | { readonly type: "delivering"; readonly hasNews: boolean }
  /** No call starts before a time (ms). `isStored` is false if the store could not record the wait. */
  | { readonly type: "waiting"; readonly until: number; readonly isStored: boolean }
  /** No call starts until the config is set again. */
  | { readonly type: "given-up" };

/** A step that may change the state of a push config. */
export type PendingStep =
  /** An event was logged that may have to be delivered. */
  | { readonly type: "notify" }
  /** The config was set, or the time of its next attempt, which the store holds, has come. */
  | { readonly type: "wake" }
  /** The config was taken from its queue. */
  | { readonly type: "start" }
  /** The time of a wait is over. */
  | { readonly type: "time-up" }
  /** The config was deleted. */
  | { readonly type: "stop" }
  | FinishStep;

/** The end of a delivery. */
export type FinishStep =
  /** The delivery was accepted, or its connection was stale. There may be more to deliver. */
  | { readonly type: "continue" }
  /** There was nothing to deliver, or the config was changed during the call. */
  | { readonly type: "nothing" }
  /** The receiver failed; the store has the time of the next attempt. */
  | { readonly type: "fail"; readonly until: number }
  /** The store failed; only this process has the time of the next attempt. */
  | { readonly type: "fault"; readonly until: number }
  | { readonly type: "give-up" };

const IDLE: PendingState = { type: "idle" };
const QUEUED: PendingState = { type: "queued" };
const GIVEN_UP: PendingState = { type: "given-up" };

/** Returns the state of a config after a step. A step that does not apply to the state has no effect. Pure. */
export function advancePending(state: PendingState, step: PendingStep): PendingState {
  switch (state.type) {
    case "idle":
      return step.type === "notify" || step.type === "wake" ? QUEUED : state;
    case "given-up":
      return step.type === "wake" ? QUEUED : state;
    case "queued":
      if (step.type === "start") return { type: "delivering", hasNews: false };
      return step.type === "stop" ? IDLE : state;
    case "waiting":
      if (step.type === "wake") return QUEUED;
      if (step.type === "stop") return IDLE;
      // If the wait is stored, the next claim of due configs wakes the config, so the config needs no record until
      // then.
      if (step.type === "time-up") return state.isStored ? IDLE : QUEUED;
      return state;
    case "delivering":
      return advanceDelivering(state, step);
  }
}

function advanceDelivering(
  state: PendingState & { readonly type: "delivering" },
  step: PendingStep,
): PendingState {
  switch (step.type) {
    case "notify":
    case "wake":
      return state.hasNews ? state : { type: "delivering", hasNews: true };
    case "stop":
      return { type: "delivering", hasNews: false };
    case "continue":
      return QUEUED;
    case "nothing":
      return state.hasNews ? QUEUED : IDLE;
    // Newer events wait as well, because they are delivered in order after the failed call.
    case "fail":
      return { type: "waiting", until: step.until, isStored: true };
    case "fault":
      return { type: "waiting", until: step.until, isStored: false };
    case "give-up":
      return GIVEN_UP;
    default:
      return state;
  }
}
