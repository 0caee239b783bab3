import { type Clock, toClock } from "../clock.js";
import type { Push, PushParts, ServerPushOptions } from "../push/open-push.js";
import { openServerPush } from "../push/open-push.js";
import type { ServerPushConfigs } from "../rpc/push/push-port.js";
import type { SecretVault } from "../secrets/secret-vault.js";
import type { SessionRegistry } from "../sessions/session-registry.js";
import type { SessionStore } from "../store/session-store.js";

/** The push sender of a live session. All servers of the session share it. */
export interface LivePush {
  /** Opens push for a server. The first server opens the sender with its options; the last server closes it. */
  open(
    options: Omit<ServerPushOptions, "store"> & Partial<Clock>,
    parts: Pick<PushParts, "logger" | "onFault">,
  ): Promise<LivePushUse>;
}

/** One server's use of the sender. */
export interface LivePushUse {
  /** Absent if push is off. */
  readonly pushes?: ServerPushConfigs;
  close(): Promise<void>;
}

/** Options of {@link createLivePush}. */
export interface LivePushOptions {
  readonly contextId: string;
  /** The store. Other sessions may share it, but only the receivers of this session are called. */
  readonly store: SessionStore;
  readonly sessions: Pick<SessionRegistry, "subscribeToCommits">;
  /** Keeps tokens and credentials of configs. */
  readonly vault: SecretVault;
}

/** Creates the push of a live session. The sender is opened with the first server. */
export function createLivePush({ contextId, store, sessions, vault }: LivePushOptions): LivePush {
  let shared: { readonly push: Push; readonly stop: () => void; users: number } | undefined;
  let closing: Promise<void> = Promise.resolve();

  return {
    async open(options, parts) {
      if (options.push === false) return { async close() {} };
      // An earlier sender must be closed first, because two senders would deliver everything twice.
      await closing;
      const clock = toClock(options);
      const push =
        shared?.push ??
        openServerPush({ ...options, store }, { ...parts, clock, contextId, vault });
      if (push === undefined) return { async close() {} };
      if (shared === undefined) {
        shared = { push, stop: sessions.subscribeToCommits(push.sender.notify), users: 0 };
        void push.sender.start();
      }
      const used = shared;
      used.users += 1;
      return {
        pushes: push.configs,
        async close() {
          used.users -= 1;
          if (used.users > 0) return;
          shared = undefined;
          closing = push.sender.close().finally(used.stop);
          await closing;
        },
      };
    },
  };
}
