import { currentTerminalSize, type TerminalSize } from "./terminal-size.js";

/** Detects that a terminal is being resized. */
export interface SizeWatch {
  /** True while the size changes, or if it differs from that of the last draw; nothing is drawn then. */
  isChanging(): boolean;
  /** Records a resize; the quiet time starts again. */
  change(): void;
  /** Records the size of the last draw. */
  drew(size: TerminalSize): void;
  /** Accepts the current size, because the picture of another size was removed. */
  accept(): void;
}

/**
 * Time for which a terminal must keep its size before the next draw. While a window is dragged, it wraps
 * lines before it reports the resize, so that the rows of a draw are unknown. tmux reports a second change
 * only after 250 ms.
 */
const QUIET_MS = { tmux: 300, others: 100 };

/** Longest time without a draw, if the terminal does not stop changing. */
const MAX_WAIT_MS = 1000;

/** Watches the size of a terminal; `onQuiet` is called when it has changed and then kept its size. */
export function createSizeWatch(
  stdout: NodeJS.WriteStream,
  { isTmux, now, onQuiet }: { readonly isTmux: boolean; now(): number; onQuiet(): void },
): SizeWatch {
  let waiting: NodeJS.Timeout | undefined;
  let drawn: string | undefined;
  let changed: string | undefined;
  let changingSince: number | undefined;

  const leftMs = (since: number) => Math.max(0, since + MAX_WAIT_MS - now());
  const currentSize = () => JSON.stringify(currentTerminalSize(stdout));

  function change(): void {
    changed = currentSize();
    clearTimeout(waiting);
    changingSince ??= now();
    const quiet = isTmux ? QUIET_MS.tmux : QUIET_MS.others;
    waiting = setTimeout(settle, Math.min(leftMs(changingSince), quiet));
  }

  /** Checks the size again, because on a busy machine the timer may fire before a resize event. */
  function settle(): void {
    const before = changed;
    const isOver = changingSince !== undefined && leftMs(changingSince) === 0;
    if (currentSize() === before || isOver) onQuiet();
    else change();
  }

  return {
    change,
    isChanging() {
      const isOther = drawn !== undefined && drawn !== currentSize();
      if (waiting === undefined && isOther) change();
      return waiting !== undefined;
    },
    drew(size) {
      drawn = JSON.stringify(size);
    },
    accept() {
      clearTimeout(waiting);
      waiting = undefined;
      changingSince = undefined;
      drawn = undefined;
    },
  };
}
