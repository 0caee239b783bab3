import { currentTerminalSize, type TerminalSize } from "./terminal-size.js";

/** Detects that a terminal is being resized. */
export interface SizeWatch {
  /** True while the size changes or differs from the size of the last draw. Nothing is drawn in that time. */
  isChanging(): boolean;
  /** Records a resize; the quiet time starts again. */
  recordResize(): void;
  /** Records the size of the last draw. */
  recordDraw(size: TerminalSize): void;
  /** Accepts the current size, so that drawing can continue. */
  accept(): void;
}

/**
 * Time without a resize before the next draw. During a drag, a terminal wraps lines before it reports the
 * resize, so dt does not know how many rows the last draw takes. The time is longer for tmux, because tmux
 * reports a second resize only after 250 ms.
 */
const QUIET_MS = { tmux: 300, others: 100 };

/** Maximum time without a draw while the size keeps changing. */
const MAX_WAIT_MS = 1000;

/** Watches the size of a terminal; `onQuiet` is called when the size has changed and is stable again. */
export function createSizeWatch(
  stdout: NodeJS.WriteStream,
  { isTmux, now, onQuiet }: { readonly isTmux: boolean; now(): number; onQuiet(): void },
): SizeWatch {
  let timer: NodeJS.Timeout | undefined;
  let drawnSize: string | undefined;
  let resizedTo: string | undefined;
  let changingSince: number | undefined;

  const remainingMs = (since: number) => Math.max(0, since + MAX_WAIT_MS - now());
  const currentSize = () => JSON.stringify(currentTerminalSize(stdout));

  function recordResize(): void {
    resizedTo = currentSize();
    clearTimeout(timer);
    changingSince ??= now();
    const quietMs = isTmux ? QUIET_MS.tmux : QUIET_MS.others;
    timer = setTimeout(checkAgain, Math.min(remainingMs(changingSince), quietMs));
  }

  /** Checks the size again, because on a busy machine the timer may fire before a resize event. */
  function checkAgain(): void {
    const before = resizedTo;
    const isOver = changingSince !== undefined && remainingMs(changingSince) === 0;
    if (currentSize() === before || isOver) onQuiet();
    else recordResize();
  }

  return {
    recordResize,
    isChanging() {
      const isOther = drawnSize !== undefined && drawnSize !== currentSize();
      if (timer === undefined && isOther) recordResize();
      return timer !== undefined;
    },
    recordDraw(size) {
      drawnSize = JSON.stringify(size);
    },
    accept() {
      clearTimeout(timer);
      timer = undefined;
      changingSince = undefined;
      drawnSize = undefined;
    },
  };
}
