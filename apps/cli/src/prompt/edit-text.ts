/** A text that is being written, and where the next letter goes. */
export interface EditText {
  readonly text: string;
  /** A place in the text, never within a letter. */
  readonly cursor: number;
}

/** Nothing written yet. */
export const emptyText: EditText = { text: "", cursor: 0 };

/** What was cut off, beside what is left. */
export interface Killed {
  readonly edit: EditText;
  readonly killed: string;
}

const segmenter = new Intl.Segmenter();
/** No letter is longer than this; so moving costs the same in every text. */
const longestLetter = 64;

/** A text with the cursor behind it. */
export function textAtEnd(text: string): EditText {
  return { text, cursor: text.length };
}

/** Puts text where the cursor is. */
export function insert({ text, cursor }: EditText, added: string): EditText {
  return {
    text: text.slice(0, cursor) + added + text.slice(cursor),
    cursor: cursor + added.length,
  };
}

/** Takes the letter before the cursor away. */
export function deleteBackward(edit: EditText): EditText {
  return removeBetween(edit, left(edit), edit.cursor);
}

/** Takes the letter at the cursor away. */
export function deleteForward(edit: EditText): EditText {
  return removeBetween(edit, edit.cursor, right(edit));
}

/** One letter to the left. */
export function moveLeft(edit: EditText): EditText {
  return { ...edit, cursor: left(edit) };
}

/** One letter to the right. */
export function moveRight(edit: EditText): EditText {
  return { ...edit, cursor: right(edit) };
}

/** To the beginning of this word, or of the one before. */
export function moveWordLeft(edit: EditText): EditText {
  return { ...edit, cursor: wordLeft(edit) };
}

/** Behind this word, or the next one. */
export function moveWordRight(edit: EditText): EditText {
  return { ...edit, cursor: wordRight(edit) };
}

/** To the beginning of the line. */
export function moveToLineStart(edit: EditText): EditText {
  return { ...edit, cursor: lineStart(edit) };
}

/** To the end of the line. */
export function moveToLineEnd(edit: EditText): EditText {
  return { ...edit, cursor: lineEnd(edit) };
}

/** Cuts from the cursor to the end of the line; at its end, the line break. */
export function killToLineEnd(edit: EditText): Killed {
  const end = lineEnd(edit);
  return kill(edit, edit.cursor, end === edit.cursor ? Math.min(end + 1, edit.text.length) : end);
}

/** Cuts from the beginning of the line to the cursor. */
export function killToLineStart(edit: EditText): Killed {
  return kill(edit, lineStart(edit), edit.cursor);
}

/** Cuts the word before the cursor. */
export function killWordBackward(edit: EditText): Killed {
  return kill(edit, wordLeft(edit), edit.cursor);
}

/** Cuts the word behind the cursor. */
export function killWordForward(edit: EditText): Killed {
  return kill(edit, edit.cursor, wordRight(edit));
}

function kill(edit: EditText, from: number, to: number): Killed {
  return { edit: removeBetween(edit, from, to), killed: edit.text.slice(from, to) };
}

function removeBetween({ text }: EditText, from: number, to: number): EditText {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

function left({ text, cursor }: EditText): number {
  const start = Math.max(0, cursor - longestLetter);
  let last = cursor;
  for (const { index } of segmenter.segment(text.slice(start, cursor))) last = start + index;
  return cursor === 0 ? 0 : last;
}

function right({ text, cursor }: EditText): number {
  const [first] = segmenter.segment(text.slice(cursor, cursor + longestLetter));
  return cursor + (first?.segment.length ?? 0);
}

// From the cursor outwards, letter by letter: an expression would look at all of the text before it.
function wordLeft({ text, cursor }: EditText): number {
  let start = cursor;
  const skip = (isSkipped: (letter: string) => boolean) => {
    for (;;) {
      const before =
        start > 1 && isLowSurrogate(text.charCodeAt(start - 1)) ? start - 2 : start - 1;
      if (before < 0 || !isSkipped(text.slice(before, start))) return;
      start = before;
    }
  };
  skip((letter) => !isOfWord(letter));
  skip(isOfWord);
  return start;
}

function isOfWord(letter: string): boolean {
  return /^[\p{L}\p{N}_]/u.test(letter);
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function wordRight({ text, cursor }: EditText): number {
  const [found = ""] = /^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor)) ?? [];
  return cursor + found.length;
}

function lineStart({ text, cursor }: EditText): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd({ text, cursor }: EditText): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}
