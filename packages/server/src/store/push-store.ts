import type { PushKey, PushProgress, PushRecord } from "./push-record.js";

/**
 * The outbox: stores push configs with their positions in the log. It has no events, because they are in the log, so
 * commits cost the same with and without configs.
 */
export interface PushStore {
  /**
   * Sets a config. One with the same id is replaced, keeps its position and is no longer given up. Returns false,
   * and changes nothing, if the task would have more than `maxPerTask`.
   */
  savePush(push: PushRecord, limit: { readonly maxPerTask: number }): Promise<boolean>;
  /** Lists the configs of a task, sorted by id. */
  listPushes(taskId: string): Promise<readonly PushRecord[]>;
  /** Deletes a config, if it exists. */
  deletePush(key: PushKey): Promise<void>;
  /** Saves the progress of a config; returns false if it was set again or deleted meanwhile. */
  notePush(push: PushKey & Pick<PushRecord, "revision">, progress: PushProgress): Promise<boolean>;
  /** Claims configs whose next attempt is due, the longest waiting first. A claimed config no longer waits. */
  claimPushes(
    due: PushScope & { readonly now: string; readonly limit: number },
  ): Promise<readonly PushRecord[]>;
  /** Counts the configs that wait, and returns the earliest time of their attempts. */
  countWaitingPushes(
    scope?: PushScope,
  ): Promise<{ readonly count: number; readonly nextAt?: string }>;
  /**
   * Makes every config due now that has something to deliver and no next attempt, because an earlier process was
   * delivering it when it ended. Returns true if there is any config.
   */
  resumePushes(now: string, scope?: PushScope): Promise<boolean>;
}

/** Limits a query to the configs of one session, for processes that share a store. Default: all. */
export interface PushScope {
  readonly contextId?: string | undefined;
}
