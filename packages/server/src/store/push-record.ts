import type { A2aPushAuthentication, A2aVersion } from "@dt/schema/wire";

/** Identifies a push config. */
export interface PushKey {
  readonly taskId: string;
  readonly configId: string;
}

/** A push config in the store, and the progress of its deliveries. */
export interface PushRecord extends PushKey {
  readonly contextId: string;
  /** Changes when the config is changed, so that the results of attempts with the old config are ignored. */
  readonly revision: string;
  readonly target: PushTarget;
  readonly progress: PushProgress;
}

/** The receiver of a push config, and the dialect of its deliveries. */
export interface PushTarget {
  readonly url: string;
  readonly token?: string;
  readonly authentication?: A2aPushAuthentication;
  /** Token and credentials, sealed by the server. A stored target has this field instead of them. */
  readonly sealed?: string;
  /** A2A version of the client that set the config. */
  readonly version: A2aVersion;
  /** True if that client has activated the development-tool extension. */
  readonly developmentTool: boolean;
  /** True if that client has activated the session extension. */
  readonly session: boolean;
  /**
   * True if all events are delivered. Otherwise only changes of state, questions, finished tool calls and
   * whole artifacts are delivered.
   */
  readonly allEvents: boolean;
  /** Random id that the config keeps until it is deleted. A config that is set later gets another id. */
  readonly life?: string;
  /** The user who set the config, if it is not the owner of the session. Deliveries end with the user's access. */
  readonly user?: string;
}

/** Progress of the deliveries of a config. The events that are not delivered yet are in the log. */
export interface PushProgress {
  /** Position up to which all events were delivered or skipped. */
  readonly after: number;
  /** True if the task, as it was at the position `after`, must be delivered first. */
  readonly isTaskDue: boolean;
  /** Number of attempts that were started for the next delivery. */
  readonly attempts: number;
  /** Number of attempts that failed since the last success, or since the config was set. */
  readonly failures: number;
  /** Time of the next attempt (ISO 8601); absent if the config does not wait for one. */
  readonly nextAttemptAt?: string;
  /** Reason why the last attempt failed. */
  readonly lastError?: string;
  /**
   * True if too many attempts failed, or if the receiver is gone. Nothing is sent until the config is set
   * again.
   */
  readonly hasGivenUp: boolean;
}

/**
 * Merges a config with the stored config of the same key, if there is one. The stored `after`, `isTaskDue`
 * and `attempts` are kept. Failures and the time of the next attempt are cleared. Every driver uses this.
 */
export function mergePush(existing: PushRecord | undefined, given: PushRecord): PushRecord {
  if (existing === undefined) return given;
  const { after, isTaskDue, attempts } = existing.progress;
  return {
    ...given,
    progress: { after, isTaskDue, attempts, failures: 0, hasGivenUp: false },
  };
}
