import type { Gauges } from "../metrics/metrics.js";
import type { SessionCounters } from "../sessions/session-registry.js";
import type { SessionStore } from "../store/session-store.js";

/** What is counted beside sessions and tasks. */
export interface GaugeSources {
  readonly sockets: number;
  /** Receivers that have something to be told. */
  countPushes(): Promise<number>;
}

/** What a server has to do at the moment, as its metrics show it. */
export async function readGauges(
  counters: SessionCounters,
  store: Pick<SessionStore, "countTasks">,
  { sockets, countPushes }: GaugeSources,
): Promise<Gauges> {
  const { inMemory, working, waitingPrompts, queuedPrompts, observers, lag } = counters;
  const { active, total } = await store.countTasks();
  return {
    sessionsInMemory: inMemory,
    turnsRunning: working,
    promptsWaiting: waitingPrompts,
    promptsQueued: queuedPrompts,
    observers,
    observerLag: lag,
    sockets,
    pushesPending: await countPushes(),
    activeTasks: active,
    totalTasks: total,
  };
}
