import type { TaskHandle } from "@dt/client";
import type { FaceStatus, Presence } from "@dt/schema";
import { createRepeatedWork } from "./repeated-work.js";

/** The mode and the number of clients of a session of another process, as its agent reports them. */
export interface PresenceWatch {
  status(): Known;
  /** Requests the presence now; resolves when the agent has answered or cannot be reached. */
  refresh(): Promise<void>;
}

/** Options of {@link watchPresence}. */
export interface PresenceWatchOptions {
  /** The presence when the client joined; undefined if it is not known yet. */
  readonly first?: Presence | undefined;
  readonly signal: AbortSignal;
  onChange(): void;
}

type Known = Pick<FaceStatus, "mode" | "clients">;

/** Polling interval. Presence is polled, because joining and leaving are no events of the session. */
const POLL_MS = 2000;

/** Polls the presence of a session until `signal` aborts. An agent that reports no presence is asked once. */
export function watchPresence(
  handle: Pick<TaskHandle, "presence">,
  { signal, onChange, first }: PresenceWatchOptions,
): PresenceWatch {
  let known: Known = first === undefined ? {} : toKnown(first);
  let isSupported = true;
  let timer: NodeJS.Timeout | undefined;

  async function request(): Promise<void> {
    const presence = await handle.presence({ signal });
    isSupported = presence !== undefined;
    if (presence === undefined) return;
    const next = toKnown(presence);
    if (next.mode === known.mode && next.clients === known.clients) return;
    known = next;
    onChange();
  }

  const polling = createRepeatedWork(async () => {
    if (signal.aborted || !isSupported) return;
    clearTimeout(timer);
    // A failed poll is ignored, because the connection state reports a lost agent.
    await request().catch(() => {});
    if (!signal.aborted && isSupported) timer = setTimeout(() => void refresh(), POLL_MS).unref();
  });

  async function refresh(): Promise<void> {
    polling.request();
    await polling.idle();
  }

  void refresh();
  return { status: () => known, refresh };
}

function toKnown({ clients, mode }: Presence): Known {
  return { clients, ...(mode !== "" && { mode }) };
}
