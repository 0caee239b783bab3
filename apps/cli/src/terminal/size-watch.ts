import { currentTerminalSize, type TerminalSize } from "./terminal-size.js";

/** Detects that a terminal is being resized. */
export interface SizeWatch {
  /** True while the size changes, or if it differs from that of the last draw; nothing is drawn then. */
  isChanging(): boolean;
  /** Records a resize; the quiet time starts again. */
  recordResize(): void;
  /** Records the size of the last draw. */
  recordDraw(size: TerminalSize): void;
  /** Accepts the current size, because the picture of another size was removed. */
  accept(): void;
}

/**
 * Time without a resize before the next draw. While its window is dragged, a terminal wraps lines before it
 * reports the resize, so the number of rows of a draw is unknown. tmux reports a second change only after
 * 250 ms.
 */
const QUIET_MS = { tmux: 300, others: 100 };

/** Longest time without a draw, if the terminal does not stop changing. */
const MAX_WAIT_MS = 1000;

/** Watches the size of a terminal; `onQuiet` is called when it has changed and then kept its size. */
export function createSizeWatch(
  stdout: NodeJS.WriteStream,
  { isTmux, now, onQuiet }: { readonly isTmux: boolean; now(): number; onQuiet(): void },
): SizeWatch {
  let timer: NodeJS.Timeout | undefined;
  let drawn: string | undefined;
  let changed: string | undefined;
  let changingSince: number | undefined;

  const leftMs = (since: number) => Math.max(0, since + MAX_WAIT_MS - now());
  const currentSize = () => JSON.stringify(currentTerminalSize(stdout));

  function recordResize(): void {
    changed = currentSize();
    clearTimeout(timer);
    changingSince ??= now();
    const quiet = isTmux ? QUIET_MS.tmux : QUIET_MS.others;
    timer = setTimeout(checkAgain, Math.min(leftMs(changingSince), quiet));
  }

  /** Checks the size again, because on a busy machine the timer may fire before a resize event. */
  function checkAgain(): void {
    const before = changed;
    const isOver = changingSince !== undefined && leftMs(changingSince) === 0;
    if (currentSize() === before || isOver) onQuiet();
    else recordResize();
  }

  return {
    recordResize,
    isChanging() {
      const isOther = drawn !== undefined && drawn !== currentSize();
      if (timer === undefined && isOther) recordResize();
      return timer !== undefined;
    },
    recordDraw(size) {
      drawn = JSON.stringify(size);
    },
    accept() {
      clearTimeout(timer);
      timer = undefined;
      changingSince = undefined;
      drawn = undefined;
    },
  };
}
