import type { PlacedNotice } from "../history/advance-transcript.js";
import { entryLines } from "../history/entry-lines.js";
import { type ItemOptions, itemLines } from "../history/item-lines.js";
import type { Key } from "../keys/decode-keys.js";
import type { ScreenSession } from "../session/screen-session.js";
import { createInkCanvas } from "../terminal/ink-canvas.js";
import { terminalSize } from "../terminal/terminal-size.js";
import type { Paint } from "../text/paint-line.js";
import type { Line } from "../text/span.js";
import { createItemCollector } from "./collect-items.js";
import { createEarlierItems, type EarlierItems } from "./earlier-items.js";
import { type HistoryEntry, mergeHistory } from "./merge-history.js";
import { lastPage, movePager, type PagerContent, type PagerPosition } from "./pager-position.js";
import { PagerScreen } from "./pager-screen.js";

/** What a pager stands on. */
export interface PagerOptions {
  readonly session: ScreenSession;
  /** How turns have ended, as far as the screen has seen it. */
  ends(): readonly PlacedNotice[];
  readonly stdout: NodeJS.WriteStream;
  readonly paint: Paint;
  /** Called when the person has seen enough, or it was closed. */
  onClose(): void;
}

/** The whole history on a screen of its own. */
export interface Pager {
  onKey(key: Key): void;
  /** Draws anew, for another size. */
  redraw(): void;
  close(): void;
}

const enter = "\x1b[?1049h\x1b[H\x1b[2J";
const leave = "\x1b[?1049l";

/** Opens the pager at the end of the history. It loads what the view does not hold by and by. */
export function openPager({ session, ends, stdout, paint, onClose }: PagerOptions): Pager {
  const canvas = createInkCanvas(stdout);
  const closing = new AbortController();
  let drawn = new WeakMap<HistoryEntry, readonly Line[]>();
  let earlier: EarlierItems | undefined;
  let earlierEnds: readonly PlacedNotice[] = [];
  let isLoading = true;
  let position: PagerPosition | undefined;
  let drawing: NodeJS.Timeout | undefined;

  const width = () => Math.max(10, terminalSize(stdout).columns);
  const height = () => Math.max(1, terminalSize(stdout).rows - 2);
  const options = (): ItemOptions => ({
    width: width(),
    isExpanded: true,
    isOwn: (origin) => session.isOwn(origin),
  });

  function items(): readonly HistoryEntry[] {
    const { items: recent, earlierItems } = session.view();
    const before = earlier?.before(recent) ?? [];
    // The screen counts from where it began, the history from the very beginning.
    const offset = before.length - earlierItems;
    const seen = ends().map((end) => ({ ...end, place: end.place + offset }));
    return mergeHistory(
      [...before, ...recent].map(({ event }) => event),
      0,
      [...earlierEnds, ...seen],
    );
  }

  function linesOf(entry: HistoryEntry): readonly Line[] {
    const known = drawn.get(entry);
    if (known !== undefined) return known;
    const lines = "kind" in entry ? itemLines(entry, options()) : entryLines(entry, options());
    const spaced = [...lines, []];
    drawn.set(entry, spaced);
    return spaced;
  }

  function contentOf(all: readonly HistoryEntry[]): PagerContent {
    return {
      count: all.length,
      linesOf: (item) => {
        const event = all[item];
        return event === undefined ? 0 : linesOf(event).length;
      },
    };
  }

  function draw(): void {
    drawing = undefined;
    if (closing.signal.aborted) return;
    const all = items();
    const top = position ?? lastPage(contentOf(all), height());
    const page: Line[] = [];
    for (let item = top.item; item < all.length && page.length < height(); item += 1) {
      const event = all[item];
      if (event !== undefined) page.push(...linesOf(event).slice(item === top.item ? top.line : 0));
    }
    // Where the size is another one by now, that is told, and it is drawn anew.
    canvas.draw({
      size: terminalSize(stdout),
      frame: (
        <PagerScreen
          lines={page.slice(0, height())}
          status={statusOf(top, all.length)}
          width={width()}
          height={height()}
          paint={paint}
        />
      ),
    });
  }

  function statusOf(top: PagerPosition, count: number): string {
    const rest = isLoading
      ? " · reading what came before …"
      : earlier === undefined
        ? " · what came before is not offered by this agent"
        : "";
    return `history ${Math.min(top.item + 1, count)}/${count}${rest} · ↑↓ PgUp PgDn g G · q closes`;
  }

  function move(lines: number): void {
    const content = contentOf(items());
    const from = position ?? lastPage(content, height());
    const next = movePager(content, from, lines, height());
    const last = lastPage(content, height());
    // At the end it follows what comes.
    position = next.item === last.item && next.line === last.line ? undefined : next;
    draw();
  }

  async function loadEarlier(): Promise<void> {
    const collector = createItemCollector();
    for await (const page of session.history(closing.signal)) collector.take(page);
    isLoading = false;
    const before = items().length;
    earlier = createEarlierItems(collector.items());
    earlierEnds = collector.ends();
    const found = items().length - before;
    if (position !== undefined) position = { ...position, item: position.item + found };
    draw();
  }

  const stopListening = session.onChange(() => {
    drawing ??= setTimeout(draw, 33);
  });

  function close(): void {
    if (closing.signal.aborted) return;
    closing.abort();
    clearTimeout(drawing);
    stopListening();
    stdout.write(`${leave}\x1b[?25h`);
    onClose();
  }

  stdout.write(enter);
  draw();
  void loadEarlier().catch(() => {
    isLoading = false;
    draw();
  });

  return {
    close,
    redraw() {
      drawn = new WeakMap();
      canvas.forget();
      stdout.write("\x1b[H\x1b[2J");
      draw();
    },
    onKey(key) {
      const step = stepOf(key, height());
      if (step === "close") close();
      else if (step !== undefined) move(step);
    },
  };
}

function stepOf(key: Key, height: number): number | "close" | undefined {
  if (key.type === "ctrl") {
    if (key.letter === "o" || key.letter === "c") return "close";
    if (key.letter === "f") return height;
    return key.letter === "b" ? -height : undefined;
  }
  if (key.type === "text") {
    const steps: Readonly<Record<string, number | "close">> = {
      q: "close",
      j: 1,
      k: -1,
      " ": height,
      b: -height,
      g: -Infinity,
      G: Infinity,
    };
    return steps[key.text];
  }
  if (key.type !== "key") return undefined;
  switch (key.name) {
    case "escape":
      return "close";
    case "up":
      return -1;
    case "down":
    case "enter":
      return 1;
    case "page-up":
      return -height;
    case "page-down":
      return height;
    case "home":
      return -Infinity;
    case "end":
      return Infinity;
    default:
      return undefined;
  }
}
