import type { WallClock } from "./wall-clock.js";

/** Keeps asking a peer whether it is there. */
export interface Pinging {
  /** Something came from it. */
  heard(): void;
  stop(): void;
}

/** Whom to ask, and when. */
export interface PingingOptions {
  /** How long the peer may be silent. */
  readonly silenceMs: number;
  /** Whether anyone waits for something. */
  isNeeded(): boolean;
  ping(): void;
  /** Called when the peer has been silent for too long. */
  onSilence(): void;
  readonly now: WallClock;
}

/** A peer that left so many pings unanswered is gone, if it has been silent for too long as well. */
const UNANSWERED_PINGS = 2;

/**
 * Pings a peer that has been silent for a while, as long as something is expected of it. A browser
 * does not show the pings of a WebSocket, so they are requests. The wall clock decides, so that a
 * machine that slept notices when it wakes. But time alone is no silence: a program that was held up
 * has read nothing meanwhile and asked nothing, so the peer is asked before it is given up.
 */
export function startPinging(options: PingingOptions): Pinging {
  const { silenceMs, now } = options;
  const pace = silenceMs / 3;
  let heardAt = now();
  let unanswered = 0;
  const timer = setInterval(() => {
    const silentMs = now() - heardAt;
    if (!options.isNeeded()) heard();
    else if (silentMs >= silenceMs && unanswered >= UNANSWERED_PINGS) options.onSilence();
    else if (silentMs >= pace / 2) {
      // Counted first, because an answer may come at once.
      unanswered += 1;
      options.ping();
    }
  }, pace);

  function heard(): void {
    heardAt = now();
    unanswered = 0;
  }

  return { heard, stop: () => clearInterval(timer) };
}
