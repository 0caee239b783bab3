import type { Pager } from "../pager/open-pager.js";

/** Passes the terminal between the screen, the pager and other programs. */
export interface ScreenTerminal {
  /** The open pager; undefined if the pager is closed. */
  readonly pager: Pager | undefined;
  /** True while the pager or another program uses the terminal. */
  isHidden(): boolean;
  /** Gives the terminal to another program until the work is done. */
  lend<TResult>(work: () => Promise<TResult>): Promise<TResult>;
  /** Opens the pager; resolves when the pager is closed. */
  openPager(): Promise<void>;
  /** Stops the process until the shell continues it. */
  suspend(): void;
}

/** Options of {@link createScreenTerminal}. */
export interface ScreenTerminalOptions {
  /** Removes the screen and stops reading keys. */
  hide(): void;
  /** Reads keys again and draws the screen. */
  show(): void;
  /** Draws the screen again after the pager was closed. */
  redraw(): void;
  openPager(onClose: () => void): Pager;
}

/** Time after which the screen is shown again if the process could not be stopped. */
const RETURN_MS = 300;

/** Creates the terminal of a screen. At first the screen uses the terminal. */
export function createScreenTerminal(options: ScreenTerminalOptions): ScreenTerminal {
  let pager: Pager | undefined;
  let isAway = false;

  function hide(): void {
    isAway = true;
    options.hide();
  }

  function show(): void {
    isAway = false;
    options.show();
  }

  return {
    get pager() {
      return pager;
    },
    isHidden: () => isAway || pager !== undefined,
    async lend(work) {
      hide();
      return await work().finally(show);
    },
    async openPager() {
      await new Promise<void>((resolve) => {
        pager = options.openPager(() => {
          pager = undefined;
          options.redraw();
          resolve();
        });
      });
    },
    suspend() {
      hide();
      // If no shell can continue the process, the system ignores the stop, so a timer shows the screen again.
      const timer = setTimeout(showAgain, RETURN_MS);
      process.once("SIGCONT", showAgain);
      function showAgain(): void {
        clearTimeout(timer);
        process.off("SIGCONT", showAgain);
        show();
      }
      process.kill(process.pid, "SIGTSTP");
    },
  };
}
