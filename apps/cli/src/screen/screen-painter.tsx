import { createInkCanvas } from "../terminal/ink-canvas.js";
import { createSizeWatch } from "../terminal/size-watch.js";
import { currentTerminalSize, type TerminalSize } from "../terminal/terminal-size.js";
import type { Paint } from "../text/paint-line.js";
import type { Line } from "../text/span.js";
import { App, Lines } from "./app.js";
import type { Frame } from "./lines/build-frame.js";

/** Draws the screen at once, or a moment later so that one draw shows many changes. */
export interface ScreenPainter {
  /** Draws within `FRAME_MS`; further calls until then cause no further draw. */
  schedule(): void;
  /** Draws now. */
  draw(): void;
  /** Draws now, even if nothing has changed. */
  redraw(): void;
  /** Draws again when the clock reaches `time`. */
  drawAt(time: number): void;
  /** Stops drawing until the size of the terminal no longer changes. */
  resize(): void;
  /** Removes the frame from the screen; printed lines stay. */
  erase(): void;
  /**
   * Makes the next draw print the settled lines even while the terminal is being resized; called before the
   * last draw.
   */
  prepareLastDraw(): void;
  /** Stops drawing and removes the frame. */
  close(): void;
}

/** The content of a screen: lines to print once, and the frame below them. */
export interface ScreenContent {
  readonly printed: readonly Line[];
  readonly frame: Frame;
}

/** Options of {@link createScreenPainter}. */
export interface ScreenPainterOptions {
  readonly stdout: NodeJS.WriteStream;
  readonly paint: Paint;
  readonly isTmux: boolean;
  /** Monotonic clock in milliseconds. */
  now(): number;
  /** True while the pager or another program uses the terminal. */
  isHidden(): boolean;
  compose(size: TerminalSize, now: number): ScreenContent;
  /** Called after the content is on the screen. */
  onDrawn(frame: Frame, drawnAt: number): void;
}

/** Longest time that the screen lags behind the session. Keys are drawn at once. */
const FRAME_MS = 33;

/** Creates a painter; nothing is drawn yet. */
export function createScreenPainter(options: ScreenPainterOptions): ScreenPainter {
  const { stdout, paint, now, isHidden } = options;
  const canvas = createInkCanvas(stdout);
  const sizeWatch = createSizeWatch(stdout, { isTmux: options.isTmux, now, onQuiet: redraw });
  let scheduled: NodeJS.Timeout | undefined;
  let nextDraw: NodeJS.Timeout | undefined;
  let drawnAt = 0;
  let isStalled = false;
  let isClosed = false;

  function draw(): void {
    clearTimeout(scheduled);
    scheduled = undefined;
    // The size is read first, because reading it makes Node notice a resize, which pauses drawing.
    const size = currentTerminalSize(stdout);
    if (isClosed || isHidden() || sizeWatch.isChanging()) return;
    // If the terminal does not read, wait for the drain event and draw everything as one frame.
    if (stdout.writableNeedDrain) {
      stall();
      return;
    }
    drawnAt = now();
    const { printed, frame } = options.compose(size, drawnAt);
    const isDrawn = canvas.draw({
      size,
      frame: <App frame={frame} paint={paint} />,
      ...(printed.length > 0 && { printed: <Lines lines={printed} paint={paint} /> }),
    });
    if (!isDrawn) {
      sizeWatch.recordResize();
      return;
    }
    sizeWatch.recordDraw(size);
    clearTimeout(nextDraw);
    options.onDrawn(frame, drawnAt);
  }

  function stall(): void {
    if (!isStalled) {
      stdout.once("drain", () => {
        isStalled = false;
        draw();
      });
    }
    isStalled = true;
  }

  function redraw(): void {
    sizeWatch.accept();
    if (isHidden()) return;
    canvas.invalidate();
    draw();
  }

  function erase(): void {
    sizeWatch.accept();
    canvas.erase();
  }

  return {
    draw,
    redraw,
    erase,
    schedule() {
      scheduled ??= setTimeout(draw, Math.max(0, drawnAt + FRAME_MS - now()));
    },
    drawAt(time) {
      clearTimeout(nextDraw);
      nextDraw = setTimeout(draw, Math.max(0, Math.ceil(time - now())));
    },
    resize: () => sizeWatch.recordResize(),
    prepareLastDraw() {
      if (!isHidden() && sizeWatch.isChanging()) erase();
    },
    close() {
      isClosed = true;
      clearTimeout(scheduled);
      clearTimeout(nextDraw);
      canvas.erase();
    },
  };
}
