/** Notices that nothing comes although something should. */
export interface Watchdog {
  /** Something came. Cheap: a stream calls it for every chunk. */
  touch(): void;
  /** Nobody listens for now, so nobody is silent; the next touch ends it. */
  rest(): void;
  stop(): void;
}

/**
 * Calls back once when `silenceMs` have passed since the last touch. The wall clock decides, so that a
 * machine that slept notices when it wakes. Undefined: never.
 */
export function startWatchdog(silenceMs: number | undefined, onSilence: () => void): Watchdog {
  if (silenceMs === undefined) return { touch() {}, rest() {}, stop() {} };
  const limit = silenceMs;
  let touchedAt: number | undefined = Date.now();
  let timer = setTimeout(look, limit);

  function look(): void {
    const left = touchedAt === undefined ? limit : touchedAt + limit - Date.now();
    if (left <= 0) onSilence();
    else timer = setTimeout(look, left);
  }

  return {
    touch() {
      touchedAt = Date.now();
    },
    rest() {
      touchedAt = undefined;
    },
    stop: () => clearTimeout(timer),
  };
}
