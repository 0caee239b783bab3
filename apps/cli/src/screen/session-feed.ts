import { openQuestions, type TaskView } from "@dt/schema";
import {
  advanceTranscript,
  EMPTY_TRANSCRIPT,
  type Entry,
  type Transcript,
  type TurnEndNotice,
} from "../history/advance-transcript.js";
import { entryLines } from "../history/entry-lines.js";
import type { ItemOptions } from "../history/item-lines.js";
import { openingLines } from "../history/opening-lines.js";
import type { ScreenSession } from "../session/screen-session.js";
import type { Line } from "../text/span.js";
import { type CallClock, createCallClock } from "./call-clock.js";

/** Prepares a session for the screen: the entries to print, the transcript, and how long calls run. */
export interface SessionFeed {
  /** Reads the newest state of the session. */
  observe(): void;
  /** Lays out the entries that are not printed yet. */
  linesToPrint(width: number): readonly Line[];
  /** Records that the entries of the last `linesToPrint` are printed. */
  markPrinted(): void;
  /** Adds a notice of the screen itself. */
  addNotice(text: string, kind: "note" | "error"): void;
  /** Adds rows that are drawn dark on a light background, such as a QR code. */
  addPicture(rows: readonly string[]): void;
  /** Notices about the last failed and cancelled turns. */
  readonly ends: readonly TurnEndNotice[];
  readonly transcript: Transcript;
  readonly clock: CallClock;
  readonly isBusy: boolean;
}

/** Number of new items after which the transcript advances. A view holds more items, so none is missed. */
const MAX_NEW_ITEMS = 50;

/** Maximum number of entries that wait while the terminal does not read. Further items become a gap. */
const MAX_WAITING_ENTRIES = 2000;

/** Maximum number of lines of an earlier conversation that are printed when the screen opens. */
const MAX_OPENING_LINES = 500;

/** Maximum number of ends of turns that are stored for the pager. */
const MAX_ENDS = 1000;

/** Creates a feed that starts at the first item of the session. */
export function createSessionFeed(session: ScreenSession, now: () => number): SessionFeed {
  const clock = createCallClock(now);
  let transcript = EMPTY_TRANSCRIPT;
  let entries: Entry[] = [];
  let countedItems = 0;
  let hasPrinted = false;
  let ends: readonly TurnEndNotice[] = [];
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
    const indexed = next.ends.map((end) => ({ ...end, itemIndex: countedItems }));
    ends = [...ends, ...indexed].slice(-MAX_ENDS);
  }

  return {
    observe() {
      const view = session.state().view;
      clock.observe(view, isBusy(view));
      if (entries.length >= MAX_WAITING_ENTRIES) return;
      // Advancing is slow, because it splits text. A small change waits until `linesToPrint` advances.
      const isDue = view.state !== transcript.state || view.error !== transcript.error;
      if (isDue || countItems(view) - countedItems >= MAX_NEW_ITEMS) advance(view);
    },
    linesToPrint(width) {
      advance(session.state().view);
      const linesOf = (entry: Entry) => entryLines(entry, { ...options, width });
      return hasPrinted
        ? entries.flatMap(linesOf)
        : openingLines(entries, linesOf, MAX_OPENING_LINES);
    },
    markPrinted() {
      hasPrinted = true;
      entries = [];
    },
    addNotice: (text, kind) =>
      void entries.push({ type: "notice", text, isError: kind === "error" }),
    addPicture: (rows) => void entries.push({ type: "picture", rows }),
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
