import type { TurnEndNotice } from "../history/advance-transcript.js";
import type { Key } from "../keys/decode-keys.js";
import type { ScreenSession } from "../session/screen-session.js";
import { createInkCanvas } from "../terminal/ink-canvas.js";
import { terminalSize } from "../terminal/terminal-size.js";
import type { Paint } from "../text/paint-line.js";
import { createItemCollector } from "./collect-items.js";
import { createEarlierItems } from "./earlier-items.js";
import { createEntryCache } from "./entry-cache.js";
import { lastPage } from "./pager-position.js";
import { PagerScreen } from "./pager-screen.js";
import {
  advancePager,
  INITIAL_PAGER_STATE,
  type PagerStep,
  pagerEntries,
  pagerKeyStep,
  pagerStatus,
  type RecentItems,
} from "./pager-state.js";

/** Options of {@link openPager}. */
export interface PagerOptions {
  readonly session: ScreenSession;
  /** Ends of turns that the screen has seen. */
  ends(): readonly TurnEndNotice[];
  readonly stdout: NodeJS.WriteStream;
  readonly paint: Paint;
  /** Called when the pager is closed, by the person or by the screen. */
  onClose(): void;
}

/** The whole history on a screen of its own. */
export interface Pager {
  onKey(key: Key): void;
  /** Draws again after the terminal was resized. */
  redraw(): void;
  close(): void;
}

const ENTER_ALTERNATE_SCREEN = "\x1b[?1049h\x1b[H\x1b[2J";
const LEAVE_ALTERNATE_SCREEN = "\x1b[?1049l";

/** Longest time that the pager lags behind the session. */
const FRAME_MS = 33;

/** Opens the pager at the end of the history and loads the items that the view no longer contains. */
export function openPager({ session, ends, stdout, paint, onClose }: PagerOptions): Pager {
  const canvas = createInkCanvas(stdout);
  const closing = new AbortController();
  const { isOwn } = session;
  const cache = createEntryCache(() => ({ width: width(), isExpanded: true, isOwn }));
  let state = INITIAL_PAGER_STATE;
  let drawing: NodeJS.Timeout | undefined;

  const width = () => Math.max(10, terminalSize(stdout).columns);
  const height = () => Math.max(1, terminalSize(stdout).rows - 2);

  function recent(): RecentItems {
    const { items, earlierItems } = session.state().view;
    return { items, earlierItems, ends: ends() };
  }

  function advance(step: PagerStep): void {
    state = advancePager(state, step);
    draw();
  }

  function draw(): void {
    drawing = undefined;
    if (closing.signal.aborted) return;
    const entries = pagerEntries(state, recent());
    const top = state.position ?? lastPage(cache.contentOf(entries), height());
    // If the terminal is resized during the draw, the resize event draws the page again.
    canvas.draw({
      size: terminalSize(stdout),
      frame: (
        <PagerScreen
          lines={cache.pageOf(entries, top, height())}
          status={pagerStatus(state, top, entries.length)}
          width={width()}
          height={height()}
          paint={paint}
        />
      ),
    });
  }

  function scroll(lines: number): void {
    const content = cache.contentOf(pagerEntries(state, recent()));
    advance({ type: "scroll", lines, page: { content, height: height() } });
  }

  async function load(): Promise<void> {
    const collector = createItemCollector();
    for await (const page of session.face.history(closing.signal)) collector.add(page);
    const earlier = createEarlierItems(collector.items());
    advance({ type: "loaded", earlier, ends: collector.ends(), recent: recent() });
  }

  const stopListening = session.onChange(() => {
    drawing ??= setTimeout(draw, FRAME_MS);
  });

  function close(): void {
    if (closing.signal.aborted) return;
    closing.abort();
    clearTimeout(drawing);
    stopListening();
    stdout.write(`${LEAVE_ALTERNATE_SCREEN}\x1b[?25h`);
    onClose();
  }

  stdout.write(ENTER_ALTERNATE_SCREEN);
  draw();
  load().catch(() => advance({ type: "load-failed" }));

  return {
    close,
    redraw() {
      cache.clear();
      canvas.forget();
      stdout.write("\x1b[H\x1b[2J");
      draw();
    },
    onKey(key) {
      const step = pagerKeyStep(key, height());
      if (step === "close") close();
      else if (step !== undefined) scroll(step);
    },
  };
}
