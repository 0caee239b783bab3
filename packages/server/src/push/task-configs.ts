import type { PushStore } from "../store/push-store.js";
import { type ConfigRef, toConfigRef } from "./queue/config-ref.js";

/** A cache of the push configs of tasks. */
export interface TaskConfigs {
  /** Returns the configs of a task that are not given up; a promise if the store must be read. */
  configsOf(taskId: string): readonly ConfigRef[] | Promise<readonly ConfigRef[]>;
  /** Removes a task, so that the store is read the next time. */
  forget(taskId: string): void;
  /** Removes all tasks. */
  clear(): void;
}

/** Maximum number of tasks in the cache. Most of them have no config. */
const MAX_TASKS = 4_096;

/** Creates the cache. */
export function createTaskConfigs(store: Pick<PushStore, "listPushes">): TaskConfigs {
  const tasks = new Map<string, readonly ConfigRef[] | Promise<readonly ConfigRef[]>>();

  async function load(taskId: string): Promise<readonly ConfigRef[]> {
    const pushes = await store.listPushes(taskId);
    return pushes.filter(({ progress }) => !progress.hasGivenUp).map(toConfigRef);
  }

  return {
    configsOf(taskId) {
      const cached = tasks.get(taskId);
      if (cached !== undefined) return cached;
      const loading = load(taskId);
      tasks.set(taskId, loading);
      for (const oldest of tasks.keys()) {
        if (tasks.size <= MAX_TASKS) break;
        tasks.delete(oldest);
      }
      const settle = (configs?: readonly ConfigRef[]) => {
        // The result is not cached if the task was forgotten or evicted during the read.
        if (tasks.get(taskId) !== loading) return;
        if (configs === undefined) tasks.delete(taskId);
        else tasks.set(taskId, configs);
      };
      loading.then(settle, () => settle());
      return loading;
    },
    forget(taskId) {
      tasks.delete(taskId);
    },
    clear: () => tasks.clear(),
  };
}
