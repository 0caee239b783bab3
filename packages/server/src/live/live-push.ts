import { type Clock, toClock } from "../clock.js";
import type { Push, PushParts, ServerPushOptions } from "../push/open-push.js";
import { openServerPush } from "../push/open-push.js";
import type { PushConfigs } from "../rpc/push/push-port.js";
import type { SessionRegistry } from "../sessions/session-registry.js";
import type { SessionStore } from "../store/session-store.js";

/** The push of a live session: one for all its servers, there as long as one of them is. */
export interface LivePush {
  /** For one more server; what the first one says of push holds for those that follow. */
  open(
    options: Omit<ServerPushOptions, "store"> & Partial<Clock>,
    parts: Pick<PushParts, "logger" | "onFault">,
  ): Promise<LivePushUse>;
}

/** A server's use of it. */
export interface LivePushUse {
  /** Absent where the server calls nobody. */
  readonly pushes?: PushConfigs;
  close(): Promise<void>;
}

/** What it stands on. */
export interface LivePushOptions {
  readonly contextId: string;
  /** Others may share it: only this session's receivers are called from here. */
  readonly store: SessionStore;
  readonly sessions: Pick<SessionRegistry, "observeCommits">;
}

/** Opens nothing yet: a session that nobody serves calls nobody. */
export function createLivePush({ contextId, store, sessions }: LivePushOptions): LivePush {
  let shared: { readonly push: Push; readonly stop: () => void; users: number } | undefined;
  let closing: Promise<void> = Promise.resolve();

  return {
    async open(options, parts) {
      if (options.push === false) return { async close() {} };
      // Two senders at once would deliver everything twice.
      await closing;
      const clock = toClock(options);
      const push =
        shared?.push ?? openServerPush({ ...options, store }, { ...parts, clock, contextId });
      if (push === undefined) return { async close() {} };
      if (shared === undefined) {
        shared = { push, stop: sessions.observeCommits(push.sender.notify), users: 0 };
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
