import { mergePush, type PushKey, type PushRecord } from "../push-record.js";
import type { PushScope, PushStore } from "../push-store.js";

/** The push configs of a store in memory. */
export interface MemoryPushes {
  readonly store: PushStore;
  set(push: PushRecord): void;
  deleteSession(contextId: string): void;
}

/** Options of {@link createMemoryPushes}. */
export interface MemoryPushesOptions {
  /** Throws if the store is closed. */
  checkOpen(): void;
  /** Finds the position of a task's last event. */
  lastPositionOf(taskId: string): number | undefined;
  /** The configs of each task. The lists are replaced, not changed. Default: none. */
  readonly tasks?: Map<string, readonly PushRecord[]>;
}

/** Creates the push configs of a store that keeps them in memory. */
export function createMemoryPushes({
  checkOpen,
  lastPositionOf,
  tasks = new Map(),
}: MemoryPushesOptions): MemoryPushes {
  function all({ contextId }: PushScope = {}): readonly PushRecord[] {
    return [...tasks.values()]
      .flat()
      .filter((push) => contextId === undefined || push.contextId === contextId);
  }

  function waiting(scope: PushScope | undefined): readonly PushRecord[] {
    return all(scope)
      .filter(({ progress }) => progress.nextAttemptAt !== undefined)
      .sort((left, right) => (timeOf(left) < timeOf(right) ? -1 : 1));
  }

  function put(push: PushRecord): void {
    const configs = tasks.get(push.taskId) ?? [];
    const index = configs.findIndex(({ configId }) => configId === push.configId);
    tasks.set(push.taskId, index < 0 ? [...configs, push] : configs.with(index, push));
  }

  function find({ taskId, configId }: PushKey): PushRecord | undefined {
    return tasks.get(taskId)?.find((push) => push.configId === configId);
  }

  function set(push: PushRecord): void {
    put(mergePush(find(push), push));
  }

  function isBehind({ taskId, progress }: PushRecord): boolean {
    return progress.isTaskDue || (lastPositionOf(taskId) ?? 0) > progress.after;
  }

  return {
    set,
    deleteSession(contextId) {
      for (const push of all({ contextId })) tasks.delete(push.taskId);
    },
    store: {
      async savePush(push, { maxPerTask }) {
        checkOpen();
        const count = tasks.get(push.taskId)?.length ?? 0;
        if (find(push) === undefined && count >= maxPerTask) return false;
        set(push);
        return true;
      },
      async listPushes(taskId) {
        checkOpen();
        return [...(tasks.get(taskId) ?? [])].sort((left, right) =>
          left.configId < right.configId ? -1 : 1,
        );
      },
      async deletePush({ taskId, configId }) {
        checkOpen();
        const left = tasks.get(taskId)?.filter((push) => push.configId !== configId) ?? [];
        if (left.length === 0) tasks.delete(taskId);
        else tasks.set(taskId, left);
      },
      async notePush(push, progress) {
        checkOpen();
        const known = find(push);
        if (known?.revision !== push.revision) return false;
        put({ ...known, progress });
        return true;
      },
      async claimPushes({ now, limit, contextId }) {
        checkOpen();
        const due = waiting({ contextId }).filter((push) => timeOf(push) <= now);
        return due.slice(0, limit).map((push) => {
          const { nextAttemptAt: _, ...progress } = push.progress;
          const claimed = { ...push, progress };
          put(claimed);
          return claimed;
        });
      },
      async countWaitingPushes(scope) {
        checkOpen();
        const [first, ...rest] = waiting(scope);
        return first === undefined
          ? { count: 0 }
          : { count: rest.length + 1, nextAt: timeOf(first) };
      },
      async resumePushes(now, scope) {
        checkOpen();
        const pushes = all(scope);
        for (const push of pushes) {
          const { hasGivenUp, nextAttemptAt } = push.progress;
          if (hasGivenUp || nextAttemptAt !== undefined || !isBehind(push)) continue;
          put({ ...push, progress: { ...push.progress, nextAttemptAt: now } });
        }
        return pushes.length > 0;
      },
    },
  };
}

function timeOf({ progress }: PushRecord): string {
  return progress.nextAttemptAt ?? "";
}
