import type { Commit } from "../../commit.js";
import type { InstanceStore } from "../../instances/instance-store.js";
import type { Database } from "../database/open-connections.js";
import { createPostgresActivity } from "./postgres-activity.js";
import { createPostgresCredentials } from "./postgres-credentials.js";
import { createPostgresInbox } from "./postgres-inbox.js";
import { RELEASE_KEY, replyKey, sessionKey } from "./wake-keys.js";
import { openWakeUps } from "./wake-ups.js";
import { createWatchedSessions } from "./watched-sessions.js";

/** The instance store of this process, and functions that notify other instances. */
export interface OpenInstanceStore {
  readonly store: InstanceStore;
  /** Notifies other instances of stored commits. */
  noteCommits(commits: readonly Commit[]): void;
  /** Notifies other instances that a session was given back. */
  noteRelease(): void;
  close(): Promise<void>;
}

/** Options of {@link openInstanceStore}. */
export interface InstanceStoreOptions {
  readonly database: Database;
  readonly schema: string;
  readonly url: string;
  readonly instance: { readonly id: string };
  readonly pool: string;
  readonly leaseMs: number;
  /** False if changes of other instances are found only by polls. */
  readonly notifies: boolean;
}

/** Interval at which a server looks for sessions of instances that have ended. */
const TAKE_OVER_MS = 1_000;

/** Opens the instance store of this process. */
export function openInstanceStore(options: InstanceStoreOptions): OpenInstanceStore {
  const { url, schema, notifies, leaseMs } = options;
  const wakeUps = openWakeUps({ url, channel: `dt_${schema}`.slice(0, 63), isEnabled: notifies });
  const parts = { ...options, wakeUps };
  const watched = createWatchedSessions(parts);

  return {
    store: {
      leaseMs,
      takeOverEveryMs: TAKE_OVER_MS,
      watch: watched.watch,
      subscribeToReleases: (callback) =>
        wakeUps.subscribe((keys, isAll) => {
          if (isAll || keys.has(RELEASE_KEY)) callback();
        }),
      inbox: createPostgresInbox(parts),
      credentials: createPostgresCredentials(parts),
      activity: createPostgresActivity(parts),
    },
    noteCommits(commits) {
      for (const { contextId, answered } of commits) {
        wakeUps.note(sessionKey(contextId));
        if (answered !== undefined) wakeUps.note(replyKey(answered.requestId));
      }
    },
    noteRelease: () => wakeUps.note(RELEASE_KEY),
    async close() {
      watched.close();
      await wakeUps.close();
    },
  };
}
