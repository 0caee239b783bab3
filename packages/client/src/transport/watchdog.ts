import type { WallClock } from "./wall-clock.js";

/** Notices that nothing comes although something should. */
export interface Watchdog {
  /** Something came. Cheap: a stream calls it for every chunk. */
  touch(): void;
  /** Nobody listens for now, so nobody is silent; the next touch ends it. */
  rest(): void;
  stop(): void;
}

/** Silence must last for so many looks at the clock. */
const LOOKS = 3;

/**
 * Calls back once when `silenceMs` have passed since the last touch. The wall clock decides, so that a
 * machine that slept notices when it wakes. But the clock is looked at several times, because a program
 * that was held up has not read yet what came meanwhile. Undefined: never.
 */
export function startWatchdog(
  silenceMs: number | undefined,
  onSilence: () => void,
  now: WallClock,
): Watchdog {
  if (silenceMs === undefined) return { touch() {}, rest() {}, stop() {} };
  let touchedAt = now();
  let isResting = false;
  let looks = 0;
  const timer = setInterval(() => {
    looks += 1;
    if (isResting || looks < LOOKS || now() - touchedAt < silenceMs) return;
    clearInterval(timer);
    onSilence();
  }, silenceMs / LOOKS);

  return {
    touch() {
      touchedAt = now();
      isResting = false;
      looks = 0;
    },
    rest() {
      isResting = true;
    },
    stop: () => clearInterval(timer),
  };
}
