import { MACHINE_CLOCK } from "../clock.js";
import { nextUpdateAt } from "./live-pacing.js";

/** Shows the newest output of a call while it runs. */
export interface LiveUpdates {
  /** Signals new output; it is shown when the next update is due. */
  changed(): void;
  /** Stops the updates. Output that was not shown is part of the result. */
  close(): void;
}

/** Options of {@link openLiveUpdates}. */
export interface LiveUpdatesOptions {
  /** Returns the text to show now. */
  readonly text: () => string;
  readonly print: (liveContent: string) => void;
  /** Size of the other fields of the call, which are sent with each update. */
  readonly overheadBytes: number;
  /** Monotonic clock in milliseconds. Default: the clock of this machine. */
  readonly elapsedMs?: (() => number) | undefined;
}

/** Opens the live output of a call that starts now; the caller closes it. */
export function openLiveUpdates(options: LiveUpdatesOptions): LiveUpdates {
  const { text, print, overheadBytes, elapsedMs = MACHINE_CLOCK.elapsedMs } = options;
  const beganAt = elapsedMs();
  let sent = { spentBytes: 0, lastAt: undefined as number | undefined };
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function showWhenDue(): void {
    timer = undefined;
    const content = text();
    const cost = Buffer.byteLength(JSON.stringify(content)) + overheadBytes;
    const at = nextUpdateAt(sent, cost);
    if (at === undefined) return;
    const elapsed = elapsedMs() - beganAt;
    if (at > elapsed) {
      timer = setTimeout(showWhenDue, Math.ceil(at - elapsed));
      return;
    }
    sent = { spentBytes: sent.spentBytes + cost, lastAt: elapsed };
    print(content);
  }

  return {
    changed() {
      if (!isClosed && timer === undefined) showWhenDue();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
