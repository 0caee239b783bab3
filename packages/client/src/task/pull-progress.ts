/** How the fetching of one task has gone so far. */
export interface PullProgress {
  /** False once the agent has refused a subscription. */
  readonly canSubscribe: boolean;
  /** Failures in a row since something arrived. */
  readonly attempt: number;
  /** Polls in a row since the task changed. */
  readonly quietRounds: number;
}

/** Something that happened while a task was fetched. */
export type PullStep = "sent" | "received" | "changed" | "polled" | "failed" | "refused";

/** The progress of a task of which nothing was fetched yet. */
export const FIRST_PROGRESS: PullProgress = { canSubscribe: true, attempt: 0, quietRounds: 0 };

/** The progress after a step. */
export function advancePull(progress: PullProgress, step: PullStep): PullProgress {
  switch (step) {
    case "sent":
      return { ...progress, attempt: 0, quietRounds: 0 };
    case "received":
      return { ...progress, attempt: 0 };
    case "changed":
      return { ...progress, quietRounds: 0 };
    case "polled":
      return { ...progress, quietRounds: progress.quietRounds + 1 };
    case "failed":
      return { ...progress, attempt: progress.attempt + 1 };
    case "refused":
      return { ...progress, canSubscribe: false };
  }
}

/** A stream that has ended, and the task as it is then. */
export interface StreamEnd {
  readonly isSubscription: boolean;
  /** The agent knows no subscriptions, or none of this task. */
  readonly isUnsupported: boolean;
  readonly hasFailed: boolean;
  /** Another stream is to be read, or the task has ended. */
  readonly isReplaced: boolean;
  readonly isResting: boolean;
}

/** The next act after a stream has ended. */
export function chooseAfterStream(
  end: StreamEnd,
): "nothing" | "stop-subscribing" | "poll" | "retry" {
  if (end.isReplaced) return "nothing";
  if (end.isSubscription && end.isUnsupported) return "stop-subscribing";
  if (end.hasFailed || !end.isResting) return "retry";
  // The stream ended as it should. A subscription tells whether others answer or prompt.
  return end.isSubscription ? "poll" : "nothing";
}

/** Pauses before an agent that ends subscriptions at once is asked again. */
const QUIET_MS = [500, 1_000, 2_000, 5_000] as const;

/** The pause before the next poll. */
export function pollDelay({ quietRounds }: PullProgress): number {
  return QUIET_MS[Math.min(quietRounds, QUIET_MS.length - 1)] ?? 0;
}
