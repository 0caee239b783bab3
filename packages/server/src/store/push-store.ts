import type { PushKey, PushProgress, PushRecord } from "./push-record.js";

/**
 * The outbox, which stores push configs with their positions in the log. It does not copy events, so a commit costs the
 * same with and without configs.
 */
export interface PushStore {
  /**
   * Sets a config. If the task has a config with the same id, the new config takes over its position, but not
   * its failures. If the task would have more than `maxPerTask` configs, returns false and changes nothing.
   */
  savePush(push: PushRecord, limit: { readonly maxPerTask: number }): Promise<boolean>;
  /** Lists the configs of a task, sorted by id. */
  listPushes(taskId: string): Promise<readonly PushRecord[]>;
  /** Deletes a config, if it exists. */
  deletePush(key: PushKey): Promise<void>;
  /**
   * Saves the progress of a config. Returns false and saves nothing if the config was changed or deleted
   * meanwhile, or if another instance makes an attempt now.
   *
   * In a store that instances share, `claim` marks the beginning of an attempt. With a claim, also returns
   * false if another instance has made an attempt since the config was read. The claim ends after `ms`, or
   * when this instance saves progress without a claim.
   */
  notePush(
    push: PushKey & Pick<PushRecord, "revision">,
    progress: PushProgress,
    claim?: { readonly ms: number },
  ): Promise<boolean>;
  /** Claims the configs that are due, earliest first, and clears their time of the next attempt. */
  claimPushes(
    due: PushScope & { readonly now: string; readonly limit: number },
  ): Promise<readonly PushRecord[]>;
  /** Counts the configs that wait for their next attempt, and returns the earliest time of these attempts. */
  countWaitingPushes(
    scope?: PushScope,
  ): Promise<{ readonly count: number; readonly nextAt?: string }>;
  /**
   * Finds the configs whose delivery stopped with an earlier process, and sets their next attempt to now. These configs
   * have something to deliver, but no next attempt. Returns true if there is any config in the scope.
   */
  resumePushes(now: string, scope?: PushScope): Promise<boolean>;
}

/** Limits a query to the configs of one session, for processes that share a store. Default: all sessions. */
export interface PushScope {
  readonly contextId?: string | undefined;
}
