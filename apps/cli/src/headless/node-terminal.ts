import { createInterface, type Interface } from "node:readline/promises";
import { showControl } from "@dt/schema";
import { readPipedInput } from "./piped-input.js";
import type { HeadlessTerminal } from "./run-headless.js";

/** The standard streams of this process. */
export interface NodeTerminal extends HeadlessTerminal, Disposable {
  /** Yields the prompts of the standard input: each line of a terminal, or the whole text of a pipe. */
  prompts(): AsyncIterable<string>;
  /** Reads the piped input to append to a prompt; resolves with undefined if nothing is piped in. */
  readPiped(): Promise<string | undefined>;
}

/** Timeout for the first byte of piped input that is appended to a prompt. */
const SILENCE_MS = 3_000;
const SILENCE_WARNING =
  "warning: no piped input arrived within 3 seconds, so the prompt is sent without it; add < /dev/null to skip the wait";

/**
 * Opens the standard streams. While a line is read, Ctrl-C does not send SIGINT to the process but aborts
 * `leaving`.
 */
export function openNodeTerminal(leaving: AbortController): NodeTerminal {
  const { signal } = leaving;
  const { stdin, stdout, stderr } = process;
  const isInteractive = stdin.isTTY === true;
  // Questions are written to stderr, so stderr must be a terminal too.
  const canAsk = isInteractive && stderr.isTTY === true;
  let lines: Interface | undefined;
  let endsWithNewline = true;

  // A pipe gets the text unchanged; on a terminal control characters are escaped.
  const escapeForTerminal = (piece: string) => (stdout.isTTY ? showControl(piece) : piece);

  function endLine(): void {
    if (!endsWithNewline) stdout.write("\n");
    endsWithNewline = true;
  }

  function note(line: string): void {
    endLine();
    stderr.write(`${showControl(line)}\n`);
  }

  function openLines(): Interface {
    const opened = createInterface({ input: stdin, output: stderr });
    opened.on("SIGINT", () => leaving.abort());
    return opened;
  }

  async function ask(question: string): Promise<string | undefined> {
    endLine();
    // An interface that this function opens is closed after the question. While a readline interface is open,
    // Ctrl-C sends no signal to the process.
    const reader = lines ?? openLines();
    try {
      return await reader.question(showControl(question), { signal });
    } catch (reason) {
      // The person pressed Ctrl-C or ended the input.
      if (reason instanceof Error && reason.name === "AbortError") return undefined;
      throw reason;
    } finally {
      if (reader !== lines) reader.close();
    }
  }

  return {
    print(piece) {
      stdout.write(escapeForTerminal(piece));
      endsWithNewline = piece === "" ? endsWithNewline : piece.endsWith("\n");
    },
    note,
    ask: canAsk ? ask : undefined,
    async readPiped() {
      if (isInteractive) return undefined;
      const onSilence = () => note(SILENCE_WARNING);
      return await readPipedInput(stdin, { signal, silenceMs: SILENCE_MS, onSilence });
    },
    async *prompts() {
      if (!isInteractive) {
        const piped = await readPipedInput(stdin, { signal });
        if (piped !== undefined) yield piped;
        return;
      }
      lines = openLines();
      const opened = lines;
      signal.addEventListener("abort", () => opened.close());
      // The input may end while the agent works. `lines.prompt` must not be called after that.
      let hasEnded = false;
      lines.once("close", () => {
        hasEnded = true;
      });
      lines.setPrompt("> ");
      lines.prompt();
      for await (const line of lines) {
        if (line.trim() !== "") yield line;
        endLine();
        if (!hasEnded) lines.prompt();
      }
    },
    [Symbol.dispose]() {
      endLine();
      lines?.close();
    },
  };
}
