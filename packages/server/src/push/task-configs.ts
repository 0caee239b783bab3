import type { PushRecord } from "../store/push-record.js";
import type { PushStore } from "../store/push-store.js";
import type { Lane } from "./queue/receiver-queues.js";

/** A config's lane, and how often it wants to be called. */
export interface PushLane extends Lane {
  readonly taskId: string;
  readonly contextId: string;
  readonly configId: string;
  readonly allEvents: boolean;
}

/** Which configs the tasks have that something happens in: asked of the store once, then remembered. */
export interface KnownPushes {
  /** The lanes of a task; a promise where the store must be asked first. */
  lanesOf(taskId: string): readonly PushLane[] | Promise<readonly PushLane[]>;
  /** Asks the store again the next time. */
  forget(taskId: string): void;
}

/** How many tasks are remembered; of most of them, that they have no config. */
const MAX_KNOWN = 4_096;

/** Opens a memory. Of configs that were given up it says nothing. */
export function createKnownPushes(store: Pick<PushStore, "listPushes">): KnownPushes {
  const known = new Map<string, readonly PushLane[] | Promise<readonly PushLane[]>>();

  async function load(taskId: string): Promise<readonly PushLane[]> {
    const pushes = await store.listPushes(taskId);
    return pushes.filter(({ progress }) => !progress.hasGivenUp).map(toLane);
  }

  return {
    lanesOf(taskId) {
      const remembered = known.get(taskId);
      if (remembered !== undefined) return remembered;
      const loading = load(taskId);
      known.set(taskId, loading);
      for (const oldest of known.keys()) {
        if (known.size <= MAX_KNOWN) break;
        known.delete(oldest);
      }
      const settle = (lanes?: readonly PushLane[]) => {
        // Forgotten meanwhile: what was read may be out of date.
        if (known.get(taskId) !== loading) return;
        if (lanes === undefined) known.delete(taskId);
        else known.set(taskId, lanes);
      };
      loading.then(settle, () => settle());
      return loading;
    },
    forget(taskId) {
      known.delete(taskId);
    },
  };
}

/** The lane of a config. */
export function toLane({ taskId, contextId, configId, target }: PushRecord): PushLane {
  const { origin, pathname } = new URL(target.url);
  return {
    key: laneKey({ taskId, configId }),
    origin,
    receiver: `${origin}${pathname}`,
    taskId,
    contextId,
    configId,
    allEvents: target.allEvents,
  };
}

/** What tells lanes apart. */
export function laneKey({ taskId, configId }: Pick<PushRecord, "taskId" | "configId">): string {
  return JSON.stringify([taskId, configId]);
}
