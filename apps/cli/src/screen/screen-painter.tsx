import { createInkCanvas } from "../terminal/ink-canvas.js";
import { createSizeWatch } from "../terminal/size-watch.js";
import { currentTerminalSize, type TerminalSize } from "../terminal/terminal-size.js";
import type { Paint } from "../text/paint-line.js";
import type { Line } from "../text/span.js";
import { App, Lines } from "./app.js";
import type { Frame } from "./lines/build-frame.js";

/** Draws the screen when it is due. */
export interface ScreenPainter {
  /** Draws within one frame's time. */
  schedule(): void;
  /** Draws now. */
  draw(): void;
  /** Draws now, also if nothing has changed. */
  redraw(): void;
  /** Draws again at a moment of the clock. */
  drawAt(moment: number): void;
  /** Waits until the terminal keeps its size. */
  resize(): void;
  /** Takes the frame off the screen; printed lines stay. */
  erase(): void;
  /** Prepares the last drawing: printed lines are drawn though the window may still change. */
  settle(): void;
  /** Stops drawing and takes the frame off the screen. */
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
  /** Elapsed milliseconds. */
  now(): number;
  /** True while something else has the terminal. */
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
  let waking: NodeJS.Timeout | undefined;
  let drawnAt = 0;
  let isStalled = false;
  let isClosed = false;

  function draw(): void {
    clearTimeout(scheduled);
    scheduled = undefined;
    // Asked first: a change that Node has not heard of is announced now, and watched.
    const size = currentTerminalSize(stdout);
    if (isClosed || isHidden() || sizeWatch.isChanging()) return;
    // A terminal that does not read is drawn on when it reads again: by then all is one frame.
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
      sizeWatch.change();
      return;
    }
    sizeWatch.drew(size);
    clearTimeout(waking);
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
    drawAt(moment) {
      clearTimeout(waking);
      waking = setTimeout(draw, Math.max(0, Math.ceil(moment - now())));
    },
    resize: () => sizeWatch.change(),
    settle() {
      if (!isHidden() && sizeWatch.isChanging()) erase();
    },
    close() {
      isClosed = true;
      clearTimeout(scheduled);
      clearTimeout(waking);
      canvas.erase();
    },
  };
}
