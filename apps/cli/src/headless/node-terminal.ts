import { createInterface } from "node:readline/promises";
import { text } from "node:stream/consumers";
import type { HeadlessTerminal } from "./run-headless.js";

/** This process's own input and output. */
export interface NodeTerminal extends HeadlessTerminal, Disposable {
  readonly isInteractive: boolean;
  /** The prompts that come in: line by line from a person, all at once from a pipe. */
  prompts(): AsyncIterable<string>;
}

/** Opens the standard streams. */
export function openNodeTerminal(): NodeTerminal {
  const { stdin, stdout, stderr } = process;
  const isInteractive = stdin.isTTY === true;
  const reader = isInteractive ? createInterface({ input: stdin, output: stderr }) : undefined;
  let endsWithNewline = true;

  function endLine(): void {
    if (!endsWithNewline) stdout.write("\n");
    endsWithNewline = true;
  }

  return {
    isInteractive,
    print(piece) {
      stdout.write(piece);
      endsWithNewline = piece === "" ? endsWithNewline : piece.endsWith("\n");
    },
    note(line) {
      endLine();
      stderr.write(`${line}\n`);
    },
    ask:
      reader &&
      (async (question) => {
        try {
          return await reader.question(question);
        } catch (reason) {
          // Ctrl-C, or the end of the input: the person has left the question.
          if (reason instanceof Error && reason.name === "AbortError") return undefined;
          throw reason;
        }
      }),
    async *prompts() {
      if (reader === undefined) {
        yield await text(stdin);
        return;
      }
      reader.setPrompt("> ");
      reader.prompt();
      for await (const line of reader) {
        if (line.trim() !== "") yield line;
        endLine();
        reader.prompt();
      }
    },
    [Symbol.dispose]() {
      endLine();
      reader?.close();
    },
  };
}
