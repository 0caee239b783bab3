import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

/** The built program. */
export const main = path.resolve(import.meta.dirname, "../../../apps/cli/dist/main.js");

/** Timeout of `until`, after which it fails with the current screen. */
const TIMEOUT_MS = 100_000;

/** Number of turns of the event loop without output after which all output is assumed to be read. */
const QUIET_TURNS = 10;

export interface ScreenOptions {
  readonly cwd: string;
  readonly args?: readonly string[];
  /** A command that starts dt, with its own options. */
  readonly starter?: readonly [command: string, ...options: string[]];
  readonly columns?: number;
  readonly rows?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The real program in a real terminal. */
export interface Screen extends AsyncDisposable {
  type(keys: string): void;
  resize(columns: number, rows: number): Promise<void>;
  /** The visible lines. */
  text(): string;
  /** The visible lines and the scrollback. */
  history(): string;
  /** The raw output of the program. */
  raw(): string;
  /**
   * Waits until the visible text matches, and resolves with that text. Rejects if dt exits or after a
   * timeout; the error contains the visible text.
   */
  until(wanted: string | RegExp | ((text: string) => boolean)): Promise<string>;
  /** Waits for the next output. */
  next(): Promise<void>;
  /** Stops reading the output. Returns a function that reads it again. */
  stall(): () => void;
  signal(name: string): void;
  /** Closes the terminal while the program runs. */
  hangUp(): void;
  /** The exit code, once dt has exited. */
  readonly exited: Promise<number>;
}

/** Starts dt in a terminal. Its home is the workspace, so that the user's own settings do not apply. */
export function openScreen(options: ScreenOptions): Screen {
  const { cwd, args = [], starter, columns = 100, rows = 30, environment = {} } = options;
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 10_000,
    allowProposedApi: true,
  });
  const [command, ...rest] = [...(starter ?? []), process.execPath, main, ...args];
  const child = spawn(command ?? process.execPath, rest, {
    cwd,
    cols: columns,
    rows,
    env: { PATH: process.env.PATH ?? "", HOME: cwd, TERM: "xterm-256color", ...environment },
  });
  const watchers = new Set<() => void>();
  let raw = "";
  /** The part of the output that the terminal has drawn. */
  let drawn = "";
  let hasEnded = false;
  child.onData((data) => {
    raw += data;
    terminal.write(data, () => {
      drawn += data;
      for (const watcher of [...watchers]) watcher();
    });
  });
  const exited = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => {
      hasEnded = true;
      // The terminal may still be drawing the last output.
      terminal.write("", () => {
        for (const watcher of [...watchers]) watcher();
        resolve(exitCode);
      });
    });
  });

  function lines(from: number): string {
    const { active } = terminal.buffer;
    const found = Array.from({ length: active.length - from }, (_, index) =>
      (active.getLine(from + index)?.translateToString(true) ?? "").trimEnd(),
    );
    return found.join("\n").trimEnd();
  }

  const text = () => lines(terminal.buffer.active.baseY);

  /** Waits until all output was read. */
  async function drained(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
      const { length } = raw;
      await setImmediate();
      if (raw.length !== length) quiet = 0;
    }
  }

  function next(): Promise<void> {
    return new Promise((resolve) => {
      const once = child.onData(() => {
        once.dispose();
        resolve();
      });
    });
  }

  return {
    type: (keys) => child.write(keys),
    async resize(wide, high) {
      // Behaves like a fast terminal, which reads all output, resizes its own screen, and then notifies dt.
      for (;;) {
        process.kill(child.pid, "SIGSTOP");
        while (isRunning(child.pid)) await setImmediate();
        await drained();
        await new Promise<void>((resolve) => terminal.write("", resolve));
        if (isWhole(drawn)) break;
        // The program was stopped in the middle of a frame. It continues, to complete the frame at the old size.
        process.kill(child.pid, "SIGCONT");
        await next();
      }
      terminal.resize(wide, high);
      child.resize(wide, high);
      process.kill(child.pid, "SIGCONT");
    },
    text,
    history: () => lines(0),
    raw: () => raw,
    next,
    stall() {
      child.pause();
      return () => child.resume();
    },
    signal: (name) => child.kill(name),
    hangUp: () => (child as IPty & { destroy(): void }).destroy(),
    exited,
    until(wanted) {
      const isShown = (shown: string) =>
        typeof wanted === "string"
          ? shown.includes(wanted)
          : wanted instanceof RegExp
            ? wanted.test(shown)
            : wanted(shown);
      return new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer);
          watchers.delete(check);
        };
        const fail = (why: string) => {
          stop();
          reject(new Error(`${why} ${String(wanted)}\n--- screen ---\n${text()}`));
        };
        const check = () => {
          const shown = text();
          // A terminal shows a frame only when the frame is complete, so incomplete frames are not checked.
          if (isWhole(drawn) && isShown(shown)) {
            stop();
            resolve(shown);
          } else if (hasEnded) {
            fail("dt exited before it showed");
          }
        };
        const timer = setTimeout(() => fail("timed out waiting for"), TIMEOUT_MS);
        watchers.add(check);
        check();
      });
    },
    async [Symbol.asyncDispose]() {
      if (!hasEnded) child.kill("SIGKILL");
      await exited;
      terminal.dispose();
    },
  };
}

/** Returns true if the last screen frame is complete. */
function isWhole(sent: string): boolean {
  return sent.lastIndexOf("\x1b[?2026h") <= sent.lastIndexOf("\x1b[?2026l");
}

/** Returns true if a process has not stopped yet after SIGSTOP. */
function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !/\) [TZX] /.test(readFileSync(stat, "utf8"));
}
