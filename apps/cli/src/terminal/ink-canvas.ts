import { type Instance, render } from "ink";
import type { ReactNode } from "react";
import { eraseLines, linesAfter } from "./drawn-region.js";

/**
 * Draws with Ink, and knows what is on the screen: so it can be taken away whole, after a resize too,
 * and drawn again, when the screen was lent to someone else.
 */
export interface InkCanvas {
  /** Draws; starts where the cursor is, if nothing is drawn. */
  draw(node: ReactNode): void;
  /** Takes away what is drawn, and leaves the cursor where it began. */
  erase(): void;
  /** Stops drawing and leaves it standing; `erase` still takes it away. */
  freeze(): void;
}

const showCursor = "\x1b[?25h";

/** How often a second Ink draws at most. */
const framesPerSecond = 60;

/** A canvas on a terminal. */
export function createInkCanvas(stdout: NodeJS.WriteStream, stdin: NodeJS.ReadStream): InkCanvas {
  let lines: readonly string[] = [];
  let mounted: { readonly instance: Instance; mute(): void } | undefined;

  function mount(node: ReactNode): void {
    let isMuted = false;
    const output = intercept(stdout, (chunk) => {
      if (isMuted) return true;
      lines = linesAfter(lines, chunk);
      return stdout.write(chunk);
    });
    const instance = render(node, {
      stdout: output,
      stdin,
      exitOnCtrlC: false,
      patchConsole: false,
      maxFps: framesPerSecond,
    });
    const mute = () => {
      isMuted = true;
    };
    mounted = { instance, mute };
  }

  function freeze(): void {
    // Ink takes leave with a last frame; what is on the screen must stay what we know of it.
    mounted?.mute();
    mounted?.instance.unmount();
    mounted = undefined;
  }

  return {
    draw(node) {
      if (mounted === undefined) mount(node);
      else mounted.instance.rerender(node);
    },
    erase() {
      freeze();
      stdout.write(eraseLines(lines, stdout.columns || 80) + showCursor);
      lines = [];
    },
    freeze,
  };
}

/** A stream that writes where we say, and does not tell Ink of resizes: we draw anew ourselves. */
function intercept(
  stdout: NodeJS.WriteStream,
  write: (chunk: string) => boolean,
): NodeJS.WriteStream {
  const written = (chunk: string, ...rest: readonly unknown[]) => {
    const isAccepted = write(chunk);
    const callback = rest.at(-1);
    if (typeof callback === "function") setImmediate(() => callback());
    return isAccepted;
  };
  return new Proxy(stdout, {
    get(target, name) {
      if (name === "write") return written;
      if (name === "on" || name === "off") return () => target;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
