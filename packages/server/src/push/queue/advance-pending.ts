/**
 * State of one push config in this process. The store holds its progress, so that a config which is
 * idle or given up needs no record here.
 */
export type PendingState =
  /** Nothing is known to be delivered. */
  | { readonly type: "idle" }
  /** In the queue of its receiver. */
  | { readonly type: "queued" }
  /** A call is under way. `hasNews` is true if something happened since it began. */
  | { readonly type: "delivering"; readonly hasNews: boolean }
  /** Left alone until a moment (ms). `isStored` is false if the store could not record the wait. */
  | { readonly type: "waiting"; readonly until: number; readonly isStored: boolean }
  /** Not called again until the config is set again. */
  | { readonly type: "given-up" };

/** A step in the life of a push config. */
export type PendingStep =
  /** Something was logged that the config may have to deliver. */
  | { readonly type: "notify" }
  /** The config was set, or the store says that its time has come. */
  | { readonly type: "wake" }
  /** It is the turn of the config. */
  | { readonly type: "start" }
  /** The timer of a wait has fired. */
  | { readonly type: "time-up" }
  /** The config was deleted. */
  | { readonly type: "stop" }
  | FinishStep;

/** The end of a delivery. */
export type FinishStep =
  /** It was accepted, or its connection was stale; there may be more to deliver. */
  | { readonly type: "continue" }
  /** There was nothing to deliver, or the config was changed during the call. */
  | { readonly type: "rest" }
  /** The receiver failed; the store has the moment of the next attempt. */
  | { readonly type: "fail"; readonly until: number }
  /** The store failed; the config is tried again from memory. */
  | { readonly type: "fault"; readonly until: number }
  | { readonly type: "give-up" };

const IDLE: PendingState = { type: "idle" };
const QUEUED: PendingState = { type: "queued" };
const GIVEN_UP: PendingState = { type: "given-up" };

/** The only function that decides the next state of a pending config. Steps that do not apply change nothing. Pure. */
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
      // The store wakes the config if it knows of the wait.
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
    case "rest":
      return state.hasNews ? QUEUED : IDLE;
    // News are delivered in order, after the call that failed.
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
