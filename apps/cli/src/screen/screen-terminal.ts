import type { Pager } from "../pager/open-pager.js";

/** Decides who has the terminal: the screen, the pager or another program. */
export interface ScreenTerminal {
  /** The pager that is open. */
  readonly pager: Pager | undefined;
  /** True while the screen does not have the terminal. */
  isHidden(): boolean;
  /** Leaves the terminal to another program until the work is done. */
  lend<TResult>(work: () => Promise<TResult>): Promise<TResult>;
  /** Resolves when the person has closed the pager. */
  openPager(): Promise<void>;
  /** Stops the process until the shell continues it. */
  suspend(): void;
}

/** Options of {@link createScreenTerminal}. */
export interface ScreenTerminalOptions {
  /** Takes the screen away and stops reading keys. */
  hide(): void;
  /** Reads keys again and draws the screen. */
  show(): void;
  /** Draws the screen again after the pager. */
  redraw(): void;
  openPager(onClose: () => void): Pager;
}

/** Time after which a Ctrl-Z is over that nobody could continue. */
const WAKE_MS = 300;

/** Creates it; the screen has the terminal. */
export function createScreenTerminal(options: ScreenTerminalOptions): ScreenTerminal {
  let pager: Pager | undefined;
  let isAway = false;

  function goAway(): void {
    isAway = true;
    options.hide();
  }

  function comeBack(): void {
    isAway = false;
    options.show();
  }

  return {
    get pager() {
      return pager;
    },
    isHidden: () => isAway || pager !== undefined,
    async lend(work) {
      goAway();
      return await work().finally(comeBack);
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
      goAway();
      // A process that nobody could continue is not stopped. It then comes back by itself.
      const waking = setTimeout(wake, WAKE_MS);
      process.once("SIGCONT", wake);
      function wake(): void {
        clearTimeout(waking);
        process.off("SIGCONT", wake);
        comeBack();
      }
      process.kill(process.pid, "SIGTSTP");
    },
  };
}
