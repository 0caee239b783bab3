/** Counters of a puller, which decide its next request and the pause before it. */
export interface PullState {
  /** False once the agent has refused a subscription to the task. */
  readonly canSubscribe: boolean;
  /** Failed streams in a row since a frame arrived. */
  readonly failures: number;
  /** Polls in a row since the task changed. */
  readonly quietPolls: number;
}

/** One thing that happened to a puller. */
export type PullStep =
  /** A frame arrived. */
  | "frame"
  /** A frame changed the task. */
  | "change"
  /** This client sent a message, and its stream is open. */
  | "sent"
  /** The agent refused a subscription. */
  | "refused"
  /** A stream failed, and the pause after it is over. */
  | "failed"
  /** A poll is about to wait. */
  | "poll";

/** State of a puller that has not requested anything yet. */
export const INITIAL_PULL_STATE: PullState = { canSubscribe: true, failures: 0, quietPolls: 0 };

/** Computes the state after one step. */
export function advancePull(state: PullState, step: PullStep): PullState {
  return { ...state, ...CHANGES[step](state) };
}

const CHANGES: Readonly<Record<PullStep, (state: PullState) => Partial<PullState>>> = {
  frame: () => ({ failures: 0 }),
  change: () => ({ quietPolls: 0 }),
  sent: () => ({ failures: 0, quietPolls: 0 }),
  refused: () => ({ canSubscribe: false }),
  failed: ({ failures }) => ({ failures: failures + 1 }),
  poll: ({ quietPolls }) => ({ quietPolls: quietPolls + 1 }),
};
