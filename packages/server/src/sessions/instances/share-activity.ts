import type { StampedEvent } from "@dt/schema";
import type { LiveEntry } from "../../log/live-output.js";
import type { SharedActivity } from "../../store/instances/instance-store.js";
import type { SessionEntries } from "../session-entries.js";
import type { SessionHost } from "../session-host.js";

/** Shares live output and the list of clients with other instances. */
export interface ActivitySharer {
  start(): void;
  /** Stops sharing. Resolves when the last update has ended. */
  close(): Promise<void>;
}

/** Options of {@link createActivitySharer}. */
export interface ActivitySharerOptions {
  readonly activity: SharedActivity;
  readonly entries: Pick<SessionEntries, "hosts">;
}

/** Interval at which live output is shared. Output in between is replaced by later output. */
const LIVE_MS = 250;
/** Number of intervals of {@link LIVE_MS} after which the list of clients is shared. */
const CLIENT_TICKS = 4;
/** Maximum size of one output. Larger output is shown only at the instance that holds the session. */
const MAX_OUTPUT_CHARACTERS = 64 * 1024;

/** State of one session that was shared. */
interface SharedSessionState {
  /** Version of the newest output that was published. */
  published: number;
  /** Revision of the output that was read last, by call. */
  readonly read: Map<string, number>;
}

/**
 * Creates the sharer. It stores nothing while there is only one instance. The output of a session is stored only if
 * another instance has clients of the session.
 */
export function createActivitySharer({ activity, entries }: ActivitySharerOptions): ActivitySharer {
  const states = new WeakMap<SessionHost, SharedSessionState>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let ticks = 0;

  function stateOf(host: SessionHost): SharedSessionState {
    const state = states.get(host) ?? { published: 0, read: new Map() };
    states.set(host, state);
    return state;
  }

  async function shareClients(hosts: readonly SessionHost[]): Promise<void> {
    const used = hosts.filter(({ log }) => log.subscribers.listOwn().length > 0);
    if (used.length === 0) return;
    const own = new Map(used.map(({ log }) => [log.contextId, log.subscribers.listOwn()]));
    const others = await activity.exchangeClients(own);
    for (const { log } of used) {
      const elsewhere = others.filter(({ contextId }) => contextId === log.contextId);
      log.subscribers.setElsewhere(elsewhere.flatMap(({ clients }) => clients));
    }
  }

  async function publish(hosts: readonly SessionHost[]): Promise<void> {
    const owned = hosts.filter(({ isOwned, log }) => isOwned && log.subscribers.isUsedElsewhere);
    const outputs = owned.flatMap((host) => findOutputs(host, stateOf(host)));
    if (outputs.length > 0) await activity.publishLive(outputs);
    for (const host of owned) {
      if (host.log.live.size > 0 || stateOf(host).published === 0) continue;
      stateOf(host).published = 0;
      await activity.removeLive(host.log.contextId);
    }
  }

  async function read(hosts: readonly SessionHost[]): Promise<void> {
    const followed = hosts.filter(
      ({ isOwned, log }) => !isOwned && log.isBusy && log.subscribers.size > 0,
    );
    if (followed.length === 0) return;
    const outputs = await activity.readLive(followed.map(({ log }) => log.contextId));
    for (const host of followed) {
      const { log } = host;
      const state = stateOf(host);
      for (const { contextId, toolCallId, revision, event } of outputs) {
        if (contextId !== log.contextId || state.read.get(toolCallId) === revision) continue;
        state.read.set(toolCallId, revision);
        // Output of a call that has ended meanwhile is not shown.
        const { openCalls } = await log.view(event.taskId);
        const isOpen = openCalls.some((call) => call.toolCallId === toolCallId);
        if (isOpen && !host.isOwned) host.showLive(event);
      }
    }
  }

  async function share(): Promise<void> {
    const hosts = entries.hosts();
    if (ticks % CLIENT_TICKS === 0) await shareClients(hosts);
    ticks += 1;
    await publish(hosts);
    await read(hosts);
  }

  return {
    start() {
      timer ??= setInterval(() => {
        running ??= share()
          // The store reports its own faults, and the next interval tries again.
          .catch(() => {})
          .finally(() => {
            running = undefined;
          });
      }, LIVE_MS).unref();
    },
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}

/** Finds the output that is newer than the published output. Output that is too large is left out. */
function findOutputs({ log }: SessionHost, state: SharedSessionState) {
  const newer = [...log.live].filter(([, { version }]) => version > state.published);
  state.published = Math.max(state.published, ...newer.map(([, { version }]) => version));
  return newer
    .map(([toolCallId, entry]) => ({
      contextId: log.contextId,
      toolCallId,
      event: toStamped(entry),
    }))
    .filter(({ event }) => JSON.stringify(event).length <= MAX_OUTPUT_CHARACTERS);
}

function toStamped({ logged }: LiveEntry): StampedEvent {
  const { contextId: _, cursor: __, ...event } = logged.event;
  return { ...event, turn: logged.turn };
}
