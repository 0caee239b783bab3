/** State of a puller, the loop that subscribes to a task or polls it. */
export interface PullState {
  /** False once the agent has refused a subscription to the task. */
  readonly canSubscribe: boolean;
  /** Streams that failed since the last frame or sent message. */
  readonly failures: number;
  /** Polls since the task last changed or a message was sent. */
  readonly quietPolls: number;
}

/** One thing that happened to a puller. */
export type PullStep =
  /** A frame arrived. */
  | "frame"
  /** The frame that just arrived changed the task; follows `frame`. */
  | "change"
  /** This client sent a message, and the response stream opened. */
  | "sent"
  /** The agent refused a subscription. */
  | "refused"
  /** The delay after a failed stream is over. */
  | "failed"
  /** The puller is about to wait before its next poll. */
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
