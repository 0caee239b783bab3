import { MACHINE_CLOCK } from "../clock.js";
import { nextUpdateAt } from "./live-pacing.js";

/** Shows the newest output of a call while it runs. */
export interface LiveUpdates {
  /** Reports that `text` has changed. The new text is shown when the next update is due. */
  changed(): void;
  /** Stops the updates. Output that was not shown until now appears only in the result of the call. */
  close(): void;
}

/** Options of {@link openLiveUpdates}. */
export interface LiveUpdatesOptions {
  /** Returns the text to show now. */
  readonly text: () => string;
  readonly print: (liveContent: string) => void;
  /** Size of the fields that are sent with each update besides its text. */
  readonly overheadBytes: number;
  /** Monotonic clock in milliseconds. Default: the clock of this machine. */
  readonly elapsedMs?: (() => number) | undefined;
}

/** Opens the live updates of a tool call that starts now. Close them when the call ends. */
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
