import type { Gauges } from "../metrics/metrics.js";
import type { SessionCounters } from "../sessions/session-registry.js";
import type { SessionStore } from "../store/session-store.js";

/** Sources of all gauges except those of sessions and tasks. */
export interface GaugeSources {
  readonly sockets: number;
  /** Number of push configs with something to deliver. */
  countPushes(): Promise<number>;
}

/** Reads the gauges of a server. */
export async function readGauges(
  counters: SessionCounters,
  store: Pick<SessionStore, "countTasks">,
  { sockets, countPushes }: GaugeSources,
): Promise<Gauges> {
  const { inMemory, working, waitingPrompts, queuedPrompts, subscribers, lag } = counters;
  const { active, total } = await store.countTasks();
  return {
    sessionsInMemory: inMemory,
    turnsRunning: working,
    promptsWaiting: waitingPrompts,
    promptsQueued: queuedPrompts,
    subscribers,
    subscriberLag: lag,
    sockets,
    pushesPending: await countPushes(),
    activeTasks: active,
    totalTasks: total,
  };
}
