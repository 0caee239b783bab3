import { createInterface, type Interface } from "node:readline/promises";
import { showControl } from "@dt/schema";
import { readPipedInput } from "./piped-input.js";
import type { HeadlessTerminal } from "./run-headless.js";

/** This process's own input and output. */
export interface NodeTerminal extends HeadlessTerminal, Disposable {
  /** The prompts that come in: line by line from a person, all at once from a pipe. */
  prompts(): AsyncIterable<string>;
  /** Reads the piped input that goes with a prompt; undefined if there is none. */
  readPiped(): Promise<string | undefined>;
}

/** How long the first byte of piped input is waited for if there is a prompt without it. */
const SILENCE_MS = 3_000;
const silence =
  "warning: nothing was piped in within 3 seconds, so the prompt goes without it; < /dev/null skips the wait";

/** Opens the standard streams; while a line is read Ctrl-C is a key, and leaves as the signal does. */
export function openNodeTerminal(leaving: AbortController): NodeTerminal {
  const { signal } = leaving;
  const { stdin, stdout, stderr } = process;
  const isInteractive = stdin.isTTY === true;
  // Questions are written to stderr: someone must see them.
  const canAsk = isInteractive && stderr.isTTY === true;
  let lines: Interface | undefined;
  let endsWithNewline = true;

  // A pipe gets what the agent said; a terminal must not obey it.
  const printed = (piece: string) => (stdout.isTTY ? showControl(piece) : piece);

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
    // Only while it asks: at other times Ctrl-C is a signal, not a key.
    const reader = lines ?? openLines();
    try {
      return await reader.question(showControl(question), { signal });
    } catch (reason) {
      // Ctrl-C, or the end of the input: the person has left dt, or the question.
      if (reason instanceof Error && reason.name === "AbortError") return undefined;
      throw reason;
    } finally {
      if (reader !== lines) reader.close();
    }
  }

  return {
    print(piece) {
      stdout.write(printed(piece));
      endsWithNewline = piece === "" ? endsWithNewline : piece.endsWith("\n");
    },
    note,
    ask: canAsk ? ask : undefined,
    async readPiped() {
      if (isInteractive) return undefined;
      const onSilence = () => note(silence);
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
      // The input may end while the agent works; asking for more would wait for ever.
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
