import type { WallClock } from "./wall-clock.js";

/** Pings an agent to find out whether it is alive. */
export interface Pinging {
  /** Records that something arrived from the agent. */
  received(): void;
  stop(): void;
}

/** Options of {@link startPinging}. */
export interface PingingOptions {
  /** Allowed time of silence. */
  readonly silenceMs: number;
  /** True if a request waits for a reply. */
  isNeeded(): boolean;
  ping(): void;
  /** Called when the agent has been silent for too long. */
  onSilence(): void;
  readonly now: WallClock;
}

/** Number of unanswered pings after which silence is reported. */
const MAX_UNANSWERED_PINGS = 2;

/**
 * Pings an agent that has been silent for a while, as long as a reply is expected. Pings are JSON-RPC
 * requests, because browsers give pages no access to WebSocket pings. The wall clock measures silence, so
 * that it includes the time during which the machine slept. A program that was blocked has not read the
 * replies that arrived meanwhile, so it pings again before it reports silence.
 */
export function startPinging(options: PingingOptions): Pinging {
  const { silenceMs, now } = options;
  const intervalMs = silenceMs / 3;
  let receivedAt = now();
  let unanswered = 0;
  const timer = setInterval(() => {
    const silentMs = now() - receivedAt;
    if (!options.isNeeded()) received();
    else if (silentMs >= silenceMs && unanswered >= MAX_UNANSWERED_PINGS) options.onSilence();
    else if (silentMs >= intervalMs / 2) {
      // The ping is counted first, because the reply may arrive during the call.
      unanswered += 1;
      options.ping();
    }
  }, intervalMs);

  function received(): void {
    receivedAt = now();
    unanswered = 0;
  }

  return { received, stop: () => clearInterval(timer) };
}
