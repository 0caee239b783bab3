import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

/** The built program. */
export const main = path.resolve(import.meta.dirname, "../../../apps/cli/dist/main.js");

/** How long something may take to appear before the test is told what is on the screen instead. */
const patienceMs = 100_000;

/** How many turns of the event loop without a word mean that there is none. */
const quietTurns = 10;

/** How dt is started. */
export interface ScreenOptions {
  readonly cwd: string;
  readonly args?: readonly string[];
  /** A command that starts it, with its options. */
  readonly starter?: readonly [command: string, ...options: string[]];
  readonly columns?: number;
  readonly rows?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The real program in a real terminal, and what is on its screen. */
export interface Screen extends AsyncDisposable {
  type(keys: string): void;
  resize(columns: number, rows: number): Promise<void>;
  /** What is visible, line by line. */
  text(): string;
  /** All that was ever printed and not drawn over, what has scrolled away included. */
  history(): string;
  /** Everything that the program sent, as it sent it. */
  raw(): string;
  /** Resolves with the screen when it fits; fails with the screen when it does not in good time. */
  until(fits: string | RegExp | ((text: string) => boolean)): Promise<string>;
  /** Resolves when it has sent something more. */
  next(): Promise<void>;
  /** Stops reading what it sends, as a terminal does whose line is down; gives how to read on. */
  stall(): () => void;
  signal(name: string): void;
  /** Closes the terminal under the program. */
  hangUp(): void;
  /** The exit code, when it has ended. */
  readonly exited: Promise<number>;
}

/** Starts dt in a terminal. Its home is the workspace, so that nothing of the person's matters. */
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
  /** As much of it as the terminal has drawn. */
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
      // What it sent last is still being read.
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

  /** Resolves when nothing that was sent is left to be read. */
  async function drained(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet += 1) {
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
      // As a terminal does that keeps up: it has read everything, then changes its own screen, then tells.
      for (;;) {
        process.kill(child.pid, "SIGSTOP");
        while (isRunning(child.pid)) await setImmediate();
        await drained();
        await new Promise<void>((resolve) => terminal.write("", resolve));
        if (isWhole(drawn)) break;
        // Stopped within a frame, whose rest would be for the old size: no program can help that.
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
    until(fits) {
      const isThere = (shown: string) =>
        typeof fits === "string"
          ? shown.includes(fits)
          : fits instanceof RegExp
            ? fits.test(shown)
            : fits(shown);
      return new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(patience);
          watchers.delete(look);
        };
        const fail = (why: string) => {
          stop();
          reject(new Error(`${why}: ${String(fits)}\n--- the screen ---\n${text()}`));
        };
        const look = () => {
          const shown = text();
          // What is updated at once is looked at when it is whole, as a terminal shows it.
          if (isWhole(drawn) && isThere(shown)) {
            stop();
            resolve(shown);
          } else if (hasEnded) {
            fail("dt ended before this appeared");
          }
        };
        const patience = setTimeout(() => fail("this did not appear"), patienceMs);
        watchers.add(look);
        look();
      });
    },
    async [Symbol.asyncDispose]() {
      if (!hasEnded) child.kill("SIGKILL");
      await exited;
      terminal.dispose();
    },
  };
}

/** Whether the last frame that began has also ended. */
function isWhole(sent: string): boolean {
  return sent.lastIndexOf("\x1b[?2026h") <= sent.lastIndexOf("\x1b[?2026l");
}

/** Whether a process that was told to stop still runs, where the system says so. */
function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !/\) [TZX] /.test(readFileSync(stat, "utf8"));
}
