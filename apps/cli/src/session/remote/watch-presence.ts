import type { TaskHandle } from "@dt/client";
import type { FaceStatus } from "@dt/schema";
import { createRepeatedWork } from "./repeated-work.js";

/** What surrounds someone else's session, as far as its agent tells. */
export interface PresenceWatch {
  status(): Pick<FaceStatus, "mode" | "clients">;
  /** Asks now, not when it would be due; resolves when the agent has answered, or cannot be reached. */
  refresh(): Promise<void>;
}

/** How often the agent is asked: who comes and goes is no event of the session. */
const askMs = 2000;

/** Asks an agent now and then who else is there, until `signal` aborts; one that does not tell, once. */
export function watchPresence(
  handle: Pick<TaskHandle, "presence">,
  { signal, onChange }: { readonly signal: AbortSignal; onChange(): void },
): PresenceWatch {
  let known: Pick<FaceStatus, "mode" | "clients"> = {};
  let isTold = true;
  let waiting: NodeJS.Timeout | undefined;

  async function ask(): Promise<void> {
    const presence = await handle.presence({ signal });
    isTold = presence !== undefined;
    if (presence === undefined) return;
    const { mode, clients } = presence;
    if (mode === known.mode && clients === known.clients) return;
    known = { clients, ...(mode !== "" && { mode }) };
    onChange();
  }

  const asking = createRepeatedWork(async () => {
    if (signal.aborted || !isTold) return;
    clearTimeout(waiting);
    // Whether the agent is reached is told by the connection; the next answer says what is so then.
    await ask().catch(() => {});
    if (!signal.aborted && isTold) waiting = setTimeout(() => void refresh(), askMs).unref();
  });

  async function refresh(): Promise<void> {
    asking.request();
    await asking.idle();
  }

  void refresh();
  return { status: () => known, refresh };
}
