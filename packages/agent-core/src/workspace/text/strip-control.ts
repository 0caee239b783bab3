import { createEditedLine } from "./edited-line.js";

/** Converts terminal output to plain text, piece by piece. */
export interface ControlStripper {
  /** Adds a piece of output; returns the lines that are complete now. */
  write(chunk: Uint8Array): string;
  /** The current line, which may still be overwritten. */
  readonly line: string;
  /** Ends the output; returns the last line. */
  end(): string;
}

/** Maximum number of characters of a line. A longer line is returned in pieces, to bound memory. */
const MAX_LINE_LENGTH = 16_384;

/**
 * Matches control characters that are always dropped. It does not match backspace, tab, LF, CR and
 * ESC, which have an effect, and BEL, which can end a sequence.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this code handles control characters
const INVISIBLE = /[\x00-\x06\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]+/g;

/**
 * Matches plain text, one control character, or one escape sequence. The last three alternatives
 * are CSI sequences, strings such as OSC and DCS, and other sequences.
 */
const TOKENS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this code handles control characters
  /[^\x07\x08\n\r\x1b]+|[\x07\x08\n\r]|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\n\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-OQ-WYZ\\`-~]/y;

/** An escape sequence that is not complete yet. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this code handles control characters
const INCOMPLETE_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\n\x1b]*\x1b?|[ -/]*)$/y;

/** Maximum number of characters of an incomplete sequence that is buffered. */
const MAX_SEQUENCE_LENGTH = 4096;

/**
 * Creates a stripper. It applies carriage returns, backspaces and sequences that move within a line or
 * erase it, so only the last state of a progress bar remains. It drops colours and all other sequences.
 * Bytes that are not UTF-8 become U+FFFD.
 */
export function createControlStripper(): ControlStripper {
  const decoder = new TextDecoder("utf-8");
  const line = createEditedLine();
  let column = 0;
  let rest = "";

  function put(text: string): void {
    line.put(text, column);
    column += text.length;
  }

  function applyControl(sequence: string): void {
    if (sequence === "\r") column = 0;
    else if (sequence === "\b") column = Math.max(0, column - 1);
    else if (sequence.startsWith("\x1b[")) moveOrErase(sequence);
  }

  function moveOrErase(sequence: string): void {
    const parameter = Number.parseInt(sequence.slice(2), 10);
    const count = Math.min(Math.max(parameter || 1, 1), 1000);
    switch (sequence.at(-1)) {
      case "C":
        column = Math.min(column + count, MAX_LINE_LENGTH);
        break;
      case "D":
        column = Math.max(0, column - count);
        break;
      case "G":
        column = count - 1;
        break;
      case "K":
        if (parameter === 1) line.blank(column);
        else line.cut(parameter === 2 ? 0 : column);
    }
  }

  function endLine(): string {
    const text = line.text();
    line.cut(0);
    column = 0;
    return text;
  }

  function consume(text: string): string {
    let done = "";
    const pending = rest + text.replace(INVISIBLE, "");
    let at = 0;
    while (at < pending.length) {
      TOKENS.lastIndex = at;
      const [token] = TOKENS.exec(pending) ?? [];
      if (token === undefined && isIncompleteSequence(pending, at)) break;
      // If no valid sequence follows an escape character, only that character is dropped.
      at += token?.length ?? 1;
      if (token === undefined) continue;
      if (token === "\n") done += `${endLine()}\n`;
      else if ("\x07\b\r\x1b".includes(token.charAt(0))) applyControl(token);
      else put(token);
      if (line.length() > MAX_LINE_LENGTH) done += endLine();
    }
    rest = pending.slice(at);
    return done;
  }

  return {
    get line() {
      return line.text();
    },
    write: (chunk) => consume(decoder.decode(chunk, { stream: true })),
    end() {
      const done = consume(decoder.decode()) + endLine();
      rest = "";
      return done;
    },
  };
}

function isIncompleteSequence(pending: string, at: number): boolean {
  INCOMPLETE_SEQUENCE.lastIndex = at;
  return pending.length - at < MAX_SEQUENCE_LENGTH && INCOMPLETE_SEQUENCE.test(pending);
}

/** Size of a piece. A text is processed in pieces, because V8 limits the length of a match. */
const PIECE_BYTES = 64 * 1024;

/** Removes terminal control sequences from a complete text. */
export function stripControl(text: string): string {
  const stripper = createControlStripper();
  const bytes = Buffer.from(text);
  let stripped = "";
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    stripped += stripper.write(bytes.subarray(at, at + PIECE_BYTES));
  }
  return stripped + stripper.end();
}
