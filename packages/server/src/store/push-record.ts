import type { A2aPushAuthentication, A2aVersion } from "@dt/schema/wire";

/** Which push config is meant. */
export interface PushKey {
  readonly taskId: string;
  readonly configId: string;
}

/** A push config as a store keeps it, and how its deliveries stand. */
export interface PushRecord extends PushKey {
  readonly contextId: string;
  /** Another one whenever the config is set: what was begun before that counts no more. */
  readonly revision: string;
  readonly target: PushTarget;
  readonly progress: PushProgress;
}

/** Whom to call, and in which words. */
export interface PushTarget {
  readonly url: string;
  readonly token?: string;
  readonly authentication?: A2aPushAuthentication;
  /** The version and the extensions of the client that set it. */
  readonly version: A2aVersion;
  readonly developmentTool: boolean;
  readonly session: boolean;
  /** Whether it wants all events, not only changes of state, questions and finished calls. */
  readonly allEvents: boolean;
  /** Tells it from one that had its id before and was deleted; kept when it is set again. */
  readonly life?: string;
}

/** How the deliveries of a config stand. The log itself is what is still to be delivered. */
export interface PushProgress {
  /** Everything up to this place has been delivered, or needs no call. */
  readonly after: number;
  /** Whether the task as it stood at that place is to be delivered first. */
  readonly isTaskDue: boolean;
  /** Calls that were begun for what is to be delivered next. */
  readonly attempts: number;
  /** Calls that failed since one succeeded or the config was set. */
  readonly failures: number;
  /** When to call again (ISO 8601); absent where nothing has failed, or a call is under way. */
  readonly nextAttemptAt?: string;
  /** Why the last call failed. */
  readonly lastError?: string;
  /** Whether too many calls have failed: nothing is sent until the config is set again. */
  readonly hasGivenUp: boolean;
}

/** A config that is set again keeps its place and loses what went wrong. Every store does this. */
export function mergePush(existing: PushRecord | undefined, given: PushRecord): PushRecord {
  if (existing === undefined) return given;
  const { after, isTaskDue, attempts } = existing.progress;
  return {
    ...given,
    progress: { after, isTaskDue, attempts, failures: 0, hasGivenUp: false },
  };
}
