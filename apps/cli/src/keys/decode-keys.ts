/** A key as it was pressed, or text that was pasted. */
export type Key =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "key"; readonly name: KeyName }
  /** Ctrl or Alt with a letter. */
  | { readonly type: "ctrl" | "alt"; readonly letter: string };

/** The keys that have a name. */
export type KeyName =
  | "enter"
  /** Ctrl-J, Alt-Enter, Shift-Enter: a new line, not the end of the prompt. */
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

/** Whether a key is the one of a name. */
export function isKey(key: Key, name: KeyName): boolean {
  return key.type === "key" && key.name === name;
}

/** The first letter of a text that came at once, and the rest of it: where each letter is a key. */
export function splitKey(key: Key): readonly [first: Key, rest: Key | undefined] {
  if (key.type !== "text") return [key, undefined];
  const [text = "", ...rest] = key.text;
  return [{ ...key, text }, rest.length === 0 ? undefined : { ...key, text: rest.join("") }];
}

/** Reads what a terminal sends, however it is cut into pieces. */
export interface KeyDecoder {
  write(chunk: string): readonly Key[];
  /** Whether an escape came whose meaning depends on what follows, if anything does. */
  readonly isPending: boolean;
  /** Nothing followed: what is pending means what it says. */
  flush(): readonly Key[];
}

const pasteBegin = "\x1b[200~";
const pasteEnd = "\x1b[201~";

/** A paste that never ends is given away at this length. */
const longestPaste = 16 * 1024 * 1024;
/** A sequence that never ends is given up at this length. */
const longestSequence = 64;

const sequences: Readonly<Record<string, KeyName>> = {
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

/** Opens a decoder. */
export function createKeyDecoder(): KeyDecoder {
  let pending = "";
  let pasted: string | undefined;

  function takePaste(keys: Key[]): boolean {
    if (pasted === undefined) return false;
    const all = pasted + pending;
    const end = all.indexOf(pasteEnd);
    if (end < 0 && all.length < longestPaste) {
      // The end itself may come in two pieces.
      pasted = all;
      pending = "";
      return false;
    }
    keys.push({ type: "paste", text: normalise(end < 0 ? all : all.slice(0, end)) });
    pending = end < 0 ? "" : all.slice(end + pasteEnd.length);
    pasted = undefined;
    return true;
  }

  function take(keys: Key[]): void {
    while (pending !== "") {
      if (pasted !== undefined) {
        if (!takePaste(keys)) return;
        continue;
      }
      if (pending.startsWith(pasteBegin)) {
        pasted = "";
        pending = pending.slice(pasteBegin.length);
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
      take(keys);
      return keys;
    },
    flush() {
      const keys: Key[] = [];
      if (pending.startsWith("\x1b")) {
        keys.push({ type: "key", name: "escape" });
        pending = pending.slice(1);
        // The rest of a sequence that was cut off is no text.
        if (/^[[O]/.test(pending)) pending = "";
      }
      take(keys);
      return keys;
    },
  };
}

interface Read {
  readonly key: Key | undefined;
  readonly length: number;
}

/** The first key of some input; undefined where more must come to know it. */
function readKey(input: string): Read | undefined {
  if (input.startsWith("\x1b")) return readEscape(input);
  const code = input.charCodeAt(0);
  if (code >= 0x20 && code !== 0x7f) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: text ends where they begin
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
    return named(sequences[input.charAt(2)], 3);
  }
  if (second === "\r" || second === "\n") return named("newline", 2);
  if (second === "\x7f" || second === "\b") {
    return { key: { type: "alt", letter: "backspace" }, length: 2 };
  }
  // Before a key that Alt does not go with, it was the escape key itself.
  if (second < " ") return { key: { type: "key", name: "escape" }, length: 1 };
  const letter = String.fromCodePoint(input.codePointAt(1) ?? 0);
  return { key: { type: "alt", letter }, length: 1 + letter.length };
}

function readSequence(input: string): Read | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys come as control sequences
  const [whole, body = ""] = /^\x1b\[([0-?]*[ -/]*[@-~])/.exec(input) ?? [];
  if (whole !== undefined) return named(sequences[body], whole.length);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys come as control sequences
  const isBeginning = /^\x1b\[[0-?]*[ -/]*$/.test(input) && input.length < longestSequence;
  return isBeginning ? undefined : { key: undefined, length: 2 };
}

// A sequence that means nothing to us is dropped whole.
function named(name: KeyName | undefined, length: number): Read {
  return { key: name === undefined ? undefined : { type: "key", name }, length };
}

/** Terminals send a pasted new line as a carriage return. */
function normalise(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
