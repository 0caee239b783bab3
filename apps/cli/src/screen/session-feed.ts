import { openQuestions, type TaskView } from "@dt/schema";
import {
  advanceTranscript,
  type Entry,
  emptyTranscript,
  type PlacedNotice,
  type Transcript,
} from "../history/advance-transcript.js";
import { entryLines } from "../history/entry-lines.js";
import { firstPrint } from "../history/first-print.js";
import type { ItemOptions } from "../history/item-lines.js";
import type { ScreenSession } from "../session/screen-session.js";
import type { Line } from "../text/span.js";
import { type CallClock, createCallClock } from "./call-clock.js";

/** What a session brings to the screen: what has settled, to be printed once, and what goes on. */
export interface SessionFeed {
  /** Takes in what has happened. */
  observe(): void;
  /** What is still to be printed, as lines of a width. */
  linesToPrint(width: number): readonly Line[];
  /** Says that all of it was printed. */
  markPrinted(): void;
  /** Adds a line of the screen's own. */
  say(text: string, kind: "note" | "error"): void;
  /** How the last turns ended, where that is not seen in what was said. */
  readonly ends: readonly PlacedNotice[];
  readonly transcript: Transcript;
  readonly clock: CallClock;
  readonly isBusy: boolean;
}

/** How many items may come before they are taken in: fewer than a view holds, so that none is missed. */
const mostBehind = 50;

/** How much may wait to be printed, on a terminal that does not read; what comes then is only counted. */
const mostWaiting = 2000;

/** How many lines of an earlier conversation are printed when the screen opens. */
const mostFirst = 500;

/** How many ends of turns are remembered for the pager. */
const mostEnds = 1000;

/** A feed of a session, from its beginning. */
export function createSessionFeed(session: ScreenSession, now: () => number): SessionFeed {
  const clock = createCallClock(now);
  let transcript = emptyTranscript;
  let entries: Entry[] = [];
  let countedItems = 0;
  let hasPrinted = false;
  let ends: readonly PlacedNotice[] = [];
  const options: Omit<ItemOptions, "width"> = {
    isExpanded: false,
    isOwn: (origin) => session.isOwn(origin),
    durationMs: (toolCallId) => clock.durationMs(toolCallId),
  };

  function advance(view: TaskView): void {
    const next = advanceTranscript(transcript, view);
    transcript = next.transcript;
    entries.push(...next.entries);
    countedItems = countItems(view);
    if (next.ends.length === 0) return;
    const placed = next.ends.map((end) => ({ ...end, place: countedItems }));
    ends = [...ends, ...placed].slice(-mostEnds);
  }

  return {
    observe() {
      const view = session.state().view;
      clock.observe(view, isBusy(view));
      // Looking through a text costs its length: once a frame is often enough, a piece at a time is not.
      if (entries.length >= mostWaiting) return;
      const isDue = view.state !== transcript.state || view.error !== transcript.error;
      if (isDue || countItems(view) - countedItems >= mostBehind) advance(view);
    },
    linesToPrint(width) {
      advance(session.state().view);
      const linesOf = (entry: Entry) => entryLines(entry, { ...options, width });
      return hasPrinted ? entries.flatMap(linesOf) : firstPrint(entries, linesOf, mostFirst);
    },
    markPrinted() {
      hasPrinted = true;
      entries = [];
    },
    say: (text, kind) => void entries.push({ type: "notice", text, isError: kind === "error" }),
    get ends() {
      return ends;
    },
    get transcript() {
      return transcript;
    },
    clock,
    get isBusy() {
      return isBusy(session.state().view);
    },
  };
}

function countItems({ earlierItems, items }: TaskView): number {
  return earlierItems + items.length;
}

function isBusy(view: TaskView): boolean {
  return view.state === "working" || view.state === "submitted" || openQuestions(view).length > 0;
}
