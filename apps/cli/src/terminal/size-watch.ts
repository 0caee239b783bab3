import { currentTerminalSize, type TerminalSize } from "./terminal-size.js";

/** Knows whether a terminal keeps its size. */
export interface SizeWatch {
  /** Whether it changes, or has changed since the last picture, told or not: then nothing is drawn. */
  isChanging(): boolean;
  /** Says that it has changed: from now on it has to be quiet again. */
  change(): void;
  /** Says for which size a picture was drawn. */
  drew(size: TerminalSize): void;
  /** Takes the size as it is, since what was drawn for another one is gone. */
  accept(): void;
}

/**
 * How long a terminal must keep its size before it is drawn on again. A window that is dragged breaks the
 * lines of the screen faster than it tells so, and what is drawn meanwhile stands where nobody knows. tmux
 * tells a second change only after 250 ms.
 */
const quietMs = { tmux: 300, others: 100 };

/** How long nothing is drawn at most, on a terminal that does not stop changing. */
const longestMs = 1000;

/** Watches the size of a terminal; `onQuiet` is called when it has changed and then stayed the same. */
export function createSizeWatch(
  stdout: NodeJS.WriteStream,
  { isTmux, now, onQuiet }: { readonly isTmux: boolean; now(): number; onQuiet(): void },
): SizeWatch {
  let waiting: NodeJS.Timeout | undefined;
  let drawn: string | undefined;
  let changed: string | undefined;
  let changingSince: number | undefined;

  const leftMs = (since: number) => Math.max(0, since + longestMs - now());
  const currentSize = () => JSON.stringify(currentTerminalSize(stdout));

  function change(): void {
    changed = currentSize();
    clearTimeout(waiting);
    changingSince ??= now();
    const quiet = isTmux ? quietMs.tmux : quietMs.others;
    waiting = setTimeout(settle, Math.min(leftMs(changingSince), quiet));
  }

  /** A timer that is due on a busy machine comes before the news of a change. */
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
