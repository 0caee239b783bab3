/** State of a puller, which subscribes to a task or polls it. */
export interface PullState {
  /** False once the agent has refused a subscription to the task. */
  readonly canSubscribe: boolean;
  /** Number of streams that failed since the last frame or sent message. */
  readonly failures: number;
  /** Number of polls since the task last changed or a message was sent. */
  readonly quietPolls: number;
}

/** A change of the state of a puller, named after its cause. */
export type PullTransition =
  | "frame-received"
  /** Follows `frame-received` if the frame changed the task. */
  | "task-changed"
  /** This client sent a message, and the response stream opened. */
  | "message-sent"
  | "subscription-refused"
  /** The delay after a failed stream is over. */
  | "retry-started"
  /** The puller begins to wait for its next poll. */
  | "poll-started";

/** State of a puller that has not requested anything yet. */
export const INITIAL_PULL_STATE: PullState = { canSubscribe: true, failures: 0, quietPolls: 0 };

/** Computes the state after one transition. */
export function advancePull(state: PullState, transition: PullTransition): PullState {
  return { ...state, ...CHANGES[transition](state) };
}

const CHANGES: Readonly<Record<PullTransition, (state: PullState) => Partial<PullState>>> = {
  "frame-received": () => ({ failures: 0 }),
  "task-changed": () => ({ quietPolls: 0 }),
  "message-sent": () => ({ failures: 0, quietPolls: 0 }),
  "subscription-refused": () => ({ canSubscribe: false }),
  "retry-started": ({ failures }) => ({ failures: failures + 1 }),
  "poll-started": ({ quietPolls }) => ({ quietPolls: quietPolls + 1 }),
};
