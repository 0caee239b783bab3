import type { PushKey, PushProgress, PushRecord } from "./push-record.js";

/**
 * Where push configs are kept: the outbox. It holds no events: what a config has not been told yet is
 * what the log holds after its place, so that a commit costs no more where there are configs.
 */
export interface PushStore {
  /**
   * Sets a config; one of the same id is replaced, keeps its place and is no longer given up. False,
   * and nothing is changed, where its task would have more than so many.
   */
  savePush(push: PushRecord, limit: { readonly maxPerTask: number }): Promise<boolean>;
  /** The configs of a task, by their id. */
  listPushes(taskId: string): Promise<readonly PushRecord[]>;
  /** Forgets a config. Nothing where there is none. */
  deletePush(key: PushKey): Promise<void>;
  /** Notes how a config's deliveries stand; false where it was set anew or deleted meanwhile. */
  notePush(push: PushKey & Pick<PushRecord, "revision">, progress: PushProgress): Promise<boolean>;
  /** Takes those whose time has come, the longest waiting first; they wait no more. */
  claimPushes(due: {
    readonly now: string;
    readonly limit: number;
  }): Promise<readonly PushRecord[]>;
  /** How many wait for their time, and the earliest time of them. */
  countWaitingPushes(): Promise<{ readonly count: number; readonly nextAt?: string }>;
  /**
   * Lets everything wait for this moment that is not delivered and was not waiting: what the process
   * before this one had in its hands. Says whether there is any config at all.
   */
  resumePushes(now: string): Promise<boolean>;
}
