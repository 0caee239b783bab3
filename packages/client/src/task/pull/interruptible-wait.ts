import { linkSignals } from "../../transport/abort-signals.js";

/** A wait that another part of the program can end early. */
export interface InterruptibleWait {
  /** Waits until `wait` resolves, {@link interrupt} is called or the client closes. */
  run(wait: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Ends the current wait; does nothing if there is none. */
  interrupt(): void;
}

/** Creates a wait that also ends when `closing` aborts. */
export function createInterruptibleWait(closing: AbortSignal): InterruptibleWait {
  let interrupt = () => {};
  return {
    async run(wait) {
      const link = linkSignals(closing);
      interrupt = () => link.abort(undefined);
      try {
        await wait(link.signal);
      } finally {
        link.release();
      }
    },
    interrupt: () => interrupt(),
  };
}
