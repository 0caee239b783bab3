import type { WallClock } from "./wall-clock.js";

/** Reports that a connection was silent for too long. */
export interface Watchdog {
  /** Records that something arrived. The method must be cheap, because a stream calls it for every chunk. */
  touch(): void;
  /** Pauses until the next touch, because this program is busy and does not read from the agent. */
  pause(): void;
  stop(): void;
}

/** Number of checks of the clock during the allowed silence. */
const CHECKS_PER_SILENCE = 3;

/**
 * Calls `onSilence` once, when `silenceMs` have passed since the last touch; never if `silenceMs` is
 * undefined. The wall clock measures silence, so that it includes the time during which the machine slept.
 * Silence is reported only after several checks, so that a program that was blocked can first read the data
 * that arrived meanwhile.
 */
export function startWatchdog(
  silenceMs: number | undefined,
  onSilence: () => void,
  now: WallClock,
): Watchdog {
  if (silenceMs === undefined) return { touch() {}, pause() {}, stop() {} };
  let touchedAt = now();
  let isPaused = false;
  let checks = 0;
  const timer = setInterval(() => {
    checks += 1;
    if (isPaused || checks < CHECKS_PER_SILENCE || now() - touchedAt < silenceMs) return;
    clearInterval(timer);
    onSilence();
  }, silenceMs / CHECKS_PER_SILENCE);

  return {
    touch() {
      touchedAt = now();
      isPaused = false;
      checks = 0;
    },
    pause() {
      isPaused = true;
    },
    stop: () => clearInterval(timer),
  };
}
