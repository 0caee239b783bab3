/** A pressed key, typed text, or pasted text. */
export type Key =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "key"; readonly name: KeyName }
  /** Ctrl or Alt with a letter. For Alt-Backspace, `letter` is "backspace". */
  | { readonly type: "ctrl" | "alt"; readonly letter: string };

/** The keys that have a name. */
export type KeyName =
  | "enter"
  /** Ctrl-J, Alt-Enter or Shift-Enter: inserts a line break instead of sending the prompt. */
  | "newline"
  | "tab"
  | "shift-tab"
  | "backspace"
  | "delete"
  | "escape"
  | "up"
  | "down"
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "home"
  | "end"
  | "page-up"
  | "page-down";

/** True if a key has this name. */
export function isKey(key: Key, name: KeyName): boolean {
  return key.type === "key" && key.name === name;
}

/** Splits a text key after its first character, for a caller that handles each character as a key. */
export function splitKey(key: Key): readonly [first: Key, rest: Key | undefined] {
  if (key.type !== "text") return [key, undefined];
  const [text = "", ...rest] = key.text;
  return [{ ...key, text }, rest.length === 0 ? undefined : { ...key, text: rest.join("") }];
}

/** Decodes the input of a terminal. The input may be split into chunks at any character. */
export interface KeyDecoder {
  write(chunk: string): readonly Key[];
  /** True if the input ends with the beginning of an escape sequence, which the next bytes may complete. */
  readonly isPending: boolean;
  /** Decodes the pending input without waiting for its next bytes. */
  flush(): readonly Key[];
}

const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";

/** Length at which pasted text is returned as a key although the end of the paste has not arrived. */
const MAX_PASTE_LENGTH = 16 * 1024 * 1024;
/** Length at which the decoder no longer waits for the end of an escape sequence. */
const MAX_SEQUENCE_LENGTH = 64;

const KEY_SEQUENCES: Readonly<Record<string, KeyName>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  Z: "shift-tab",
  "1~": "home",
  "7~": "home",
  "4~": "end",
  "8~": "end",
  "3~": "delete",
  "5~": "page-up",
  "6~": "page-down",
  "1;3C": "word-right",
  "1;5C": "word-right",
  "1;3D": "word-left",
  "1;5D": "word-left",
  "13;2u": "newline",
  "13;3u": "newline",
  "27;2;13~": "newline",
  "27;3;13~": "newline",
  "27u": "escape",
};

/** Creates a decoder. */
export function createKeyDecoder(): KeyDecoder {
  let pending = "";
  let pasted: string | undefined;

  function decodePaste(keys: Key[]): boolean {
    if (pasted === undefined) return false;
    const all = pasted + pending;
    const end = all.indexOf(PASTE_END);
    if (end < 0 && all.length < MAX_PASTE_LENGTH) {
      // The end marker is not complete yet, so the text waits for the next chunk.
      pasted = all;
      pending = "";
      return false;
    }
    keys.push({ type: "paste", text: normalise(end < 0 ? all : all.slice(0, end)) });
    pending = end < 0 ? "" : all.slice(end + PASTE_END.length);
    pasted = undefined;
    return true;
  }

  function decodePending(keys: Key[]): void {
    while (pending !== "") {
      if (pasted !== undefined) {
        if (!decodePaste(keys)) return;
        continue;
      }
      if (pending.startsWith(PASTE_BEGIN)) {
        pasted = "";
        pending = pending.slice(PASTE_BEGIN.length);
        continue;
      }
      const read = readKey(pending);
      if (read === undefined) return;
      if (read.key !== undefined) keys.push(read.key);
      pending = pending.slice(read.length);
    }
  }

  return {
    get isPending() {
      return pending !== "";
    },
    write(chunk) {
      const keys: Key[] = [];
      pending += chunk;
      decodePending(keys);
      return keys;
    },
    flush() {
      const keys: Key[] = [];
      if (pending.startsWith("\x1b")) {
        keys.push({ type: "key", name: "escape" });
        pending = pending.slice(1);
        // The rest of an incomplete escape sequence is not typed text, so it is dropped.
        if (/^[[O]/.test(pending)) pending = "";
      }
      decodePending(keys);
      return keys;
    },
  };
}

interface Read {
  readonly key: Key | undefined;
  readonly length: number;
}

/** Decodes the first key. Returns undefined if more input is needed. */
function readKey(input: string): Read | undefined {
  if (input.startsWith("\x1b")) return readEscape(input);
  const code = input.charCodeAt(0);
  if (code >= 0x20 && code !== 0x7f) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a control character ends the text
    const [text = ""] = /^[^\x00-\x1f\x7f]+/.exec(input) ?? [];
    return { key: { type: "text", text }, length: text.length };
  }
  return { key: controlKey(code), length: 1 };
}

function controlKey(code: number): Key {
  switch (code) {
    case 0x0d:
      return { type: "key", name: "enter" };
    case 0x0a:
      return { type: "key", name: "newline" };
    case 0x09:
      return { type: "key", name: "tab" };
    case 0x7f:
    case 0x08:
      return { type: "key", name: "backspace" };
    default:
      return { type: "ctrl", letter: String.fromCharCode(code + 0x60) };
  }
}

function readEscape(input: string): Read | undefined {
  if (input.length === 1) return undefined;
  const second = input.charAt(1);
  if (second === "[") return readSequence(input);
  if (second === "O") {
    if (input.length < 3) return undefined;
    return named(KEY_SEQUENCES[input.charAt(2)], 3);
  }
  if (second === "\r" || second === "\n") return named("newline", 2);
  if (second === "\x7f" || second === "\b") {
    return { key: { type: "alt", letter: "backspace" }, length: 2 };
  }
  // No other control character has a meaning with Alt, so the escape byte was the Escape key.
  if (second < " ") return { key: { type: "key", name: "escape" }, length: 1 };
  const letter = String.fromCodePoint(input.codePointAt(1) ?? 0);
  return { key: { type: "alt", letter }, length: 1 + letter.length };
}

function readSequence(input: string): Read | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys arrive as escape sequences
  const [whole, body = ""] = /^\x1b\[([0-?]*[ -/]*[@-~])/.exec(input) ?? [];
  if (whole !== undefined) return named(KEY_SEQUENCES[body], whole.length);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys arrive as escape sequences
  const isBeginning = /^\x1b\[[0-?]*[ -/]*$/.test(input) && input.length < MAX_SEQUENCE_LENGTH;
  return isBeginning ? undefined : { key: undefined, length: 2 };
}

// Builds the result for a named key. If the sequence is unknown, `name` is undefined, and the result has no
// key.
function named(name: KeyName | undefined, length: number): Read {
  return { key: name === undefined ? undefined : { type: "key", name }, length };
}

/** Converts the carriage returns that terminals send in a paste to line feeds. */
function normalise(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
