import { nextUpdateAt } from "./live-pacing.js";

/** Shows the newest output of a call while it runs. */
export interface LiveOutput {
  /** There is more to show; it is shown when its time comes. */
  changed(): void;
  /** Nothing more is shown. What was not shown yet is in the result. */
  close(): void;
}

/** What is shown, to whom, and what an update costs beside it. */
export interface LiveOutputOptions {
  /** The text to show now. */
  readonly text: () => string;
  readonly print: (liveContent: string) => void;
  /** What an update costs beside its text: the rest of the call is sent with it. */
  readonly overheadBytes: number;
  /** A clock in ms. */
  readonly now?: () => number;
}

/** Opens the live output of a call that begins now; whoever opened it closes it. */
export function openLiveOutput(options: LiveOutputOptions): LiveOutput {
  const { text, print, overheadBytes, now = () => performance.now() } = options;
  const beganAt = now();
  let sent = { spentBytes: 0, lastAt: undefined as number | undefined };
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function showWhenDue(): void {
    timer = undefined;
    const content = text();
    const cost = Buffer.byteLength(JSON.stringify(content)) + overheadBytes;
    const at = nextUpdateAt(sent, cost);
    if (at === undefined) return;
    const elapsed = now() - beganAt;
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
