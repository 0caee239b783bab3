import type { InstanceStore } from "../../store/instances/instance-store.js";
import type { SessionEntries } from "../session-entries.js";
import type { SessionHost } from "../session-host.js";
import type { RemoteCredentials } from "./remote-credentials.js";
import { createInboxService } from "./serve-inbox.js";
import { createActivitySharer } from "./share-activity.js";
import { createTakeOver } from "./take-over.js";

/** The work of one instance for the sessions that it shares with others. */
export interface SessionSharer {
  start(): void;
  /** Stops taking sessions and requests, and gives back the sessions in which no turn runs. */
  stop(): Promise<void>;
}

/** Options of {@link createSessionSharer}. */
export interface SessionSharerOptions {
  readonly instances: InstanceStore;
  readonly entries: Pick<SessionEntries, "all" | "hosts">;
  /** Finds a session in memory or in the store. */
  find(contextId: string): Promise<SessionHost | undefined>;
  /** Becomes the owner of sessions with unfinished tasks whose holder is gone. */
  takeOver(): Promise<void>;
  elapsedMs(): number;
  readonly credentials: RemoteCredentials | undefined;
  onFault(reason: unknown): void;
}

/**
 * Creates the sharer. A session that was not used for the length of a lease is given back, so that another instance can
 * take it at once, even if this instance is killed.
 */
export function createSessionSharer(options: SessionSharerOptions): SessionSharer {
  const { instances, entries, find, takeOver, elapsedMs, onFault } = options;
  const { leaseMs, takeOverEveryMs } = instances;

  async function giveBackUnused(unusedMs: number, isStopping: boolean): Promise<void> {
    const due = [...entries.all()].flatMap(([, { host, usedAt }]) =>
      host?.isOwned === true && elapsedMs() - usedAt >= unusedMs ? [host] : [],
    );
    await Promise.all(due.map((host) => host.giveBack({ isStopping }).catch(onFault)));
  }

  const inbox = createInboxService({ instances, find, credentials: options.credentials, onFault });
  const takingOver = createTakeOver({
    everyMs: takeOverEveryMs,
    async takeOver() {
      await giveBackUnused(leaseMs, false);
      await takeOver();
    },
  });
  const activity = createActivitySharer({ activity: instances.activity, entries });
  let unsubscribe = () => {};

  return {
    start() {
      inbox.start();
      activity.start();
      takingOver.start();
      unsubscribe = instances.subscribeToReleases(takingOver.run);
    },
    async stop() {
      unsubscribe();
      await Promise.all([inbox.close(), takingOver.close(), activity.close()]);
      await giveBackUnused(0, true);
    },
  };
}
