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
}

/**
 * Pings a peer that has been silent for a while, as long as something is expected of it. A browser
 * does not show the pings of a WebSocket, so they are requests. The wall clock decides, so that a
 * machine that slept notices when it wakes.
 */
export function startPinging(options: PingingOptions): Pinging {
  const { silenceMs } = options;
  const pace = silenceMs / 3;
  let heardAt = Date.now();
  const timer = setInterval(() => {
    const silentMs = Date.now() - heardAt;
    if (!options.isNeeded()) heardAt = Date.now();
    else if (silentMs >= silenceMs) options.onSilence();
    else if (silentMs >= pace / 2) options.ping();
  }, pace);
  return {
    heard() {
      heardAt = Date.now();
    },
    stop: () => clearInterval(timer),
  };
}
