import type { A2aPushAuthentication, A2aVersion } from "@dt/schema/wire";

/** Identifies a push config. */
export interface PushKey {
  readonly taskId: string;
  readonly configId: string;
}

/** A push config in the store, and the progress of its deliveries. */
export interface PushRecord extends PushKey {
  readonly contextId: string;
  /** Changes when the config is changed, so that results of earlier calls are ignored. */
  readonly revision: string;
  readonly target: PushTarget;
  readonly progress: PushProgress;
}

/** The receiver of a push config, and the dialect of its deliveries. */
export interface PushTarget {
  readonly url: string;
  readonly token?: string;
  readonly authentication?: A2aPushAuthentication;
  /** A2A version of the client that set the config. The next two fields are the client's active extensions. */
  readonly version: A2aVersion;
  readonly developmentTool: boolean;
  readonly session: boolean;
  /** True if all events are delivered, not only changes of state, questions, finished calls and whole artifacts. */
  readonly allEvents: boolean;
  /** Random id of the config from its creation to its deletion. A config that is created again gets a new id. */
  readonly life?: string;
}

/** Progress of the deliveries of a config. The events that are not delivered yet are in the log. */
export interface PushProgress {
  /** Position up to which all events were delivered or skipped. */
  readonly after: number;
  /** True if the task, as it was at the position `after`, must be delivered first. */
  readonly isTaskDue: boolean;
  /** Number of calls that were started for the next delivery. */
  readonly attempts: number;
  /** Number of calls that failed since the last success, or since the config was set. */
  readonly failures: number;
  /** Time of the next attempt (ISO 8601); absent if the config does not wait for one. */
  readonly nextAttemptAt?: string;
  /** Reason why the last call failed. */
  readonly lastError?: string;
  /** True if too many calls failed, or if the receiver is gone. Nothing is sent until the config is set again. */
  readonly hasGivenUp: boolean;
}

/** Merges a config with the stored one. The position is kept, and the failures are cleared. Every driver uses this. */
export function mergePush(existing: PushRecord | undefined, given: PushRecord): PushRecord {
  if (existing === undefined) return given;
  const { after, isTaskDue, attempts } = existing.progress;
  return {
    ...given,
    progress: { after, isTaskDue, attempts, failures: 0, hasGivenUp: false },
  };
}
