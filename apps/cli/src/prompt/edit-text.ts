/** A text that is being edited, with its cursor. */
export interface EditText {
  readonly text: string;
  /** Index in the text, never inside a grapheme. */
  readonly cursor: number;
}

/** An empty text. */
export const EMPTY_TEXT: EditText = { text: "", cursor: 0 };

/** Result of cutting: the remaining text, and the text that was cut. */
export interface Killed {
  readonly edit: EditText;
  readonly killed: string;
}

const GRAPHEME_SEGMENTER = new Intl.Segmenter();
/** Maximum length of a grapheme. The limit keeps a move of the cursor cheap, however long the text is. */
const MAX_GRAPHEME_LENGTH = 64;

/** Creates a text with the cursor at its end. */
export function textAtEnd(text: string): EditText {
  return { text, cursor: text.length };
}

/** Inserts text at the cursor. */
export function insert({ text, cursor }: EditText, added: string): EditText {
  return {
    text: text.slice(0, cursor) + added + text.slice(cursor),
    cursor: cursor + added.length,
  };
}

/** Deletes the grapheme before the cursor. */
export function deleteBackward(edit: EditText): EditText {
  return removeBetween(edit, left(edit), edit.cursor);
}

/** Deletes the grapheme after the cursor. */
export function deleteForward(edit: EditText): EditText {
  return removeBetween(edit, edit.cursor, right(edit));
}

/** Moves the cursor one grapheme to the left. */
export function moveLeft(edit: EditText): EditText {
  return { ...edit, cursor: left(edit) };
}

/** Moves the cursor one grapheme to the right. */
export function moveRight(edit: EditText): EditText {
  return { ...edit, cursor: right(edit) };
}

/** Moves the cursor to the start of its word, or of the previous word if the cursor is between words. */
export function moveWordLeft(edit: EditText): EditText {
  return { ...edit, cursor: wordLeft(edit) };
}

/** Moves the cursor to the end of its word, or of the next word if the cursor is between words. */
export function moveWordRight(edit: EditText): EditText {
  return { ...edit, cursor: wordRight(edit) };
}

/** Moves the cursor to the start of the line. */
export function moveToLineStart(edit: EditText): EditText {
  return { ...edit, cursor: lineStart(edit) };
}

/** Moves the cursor to the end of the line. */
export function moveToLineEnd(edit: EditText): EditText {
  return { ...edit, cursor: lineEnd(edit) };
}

/** Cuts from the cursor to the end of the line; at the end of the line, cuts the line break. */
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

/** Cuts the word after the cursor. */
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
  const start = Math.max(0, cursor - MAX_GRAPHEME_LENGTH);
  let last = cursor;
  for (const { index } of GRAPHEME_SEGMENTER.segment(text.slice(start, cursor)))
    last = start + index;
  return cursor === 0 ? 0 : last;
}

function right({ text, cursor }: EditText): number {
  const [first] = GRAPHEME_SEGMENTER.segment(text.slice(cursor, cursor + MAX_GRAPHEME_LENGTH));
  return cursor + (first?.segment.length ?? 0);
}

// Finds the start of the word before the cursor. The text is searched backwards by character, because a
// regular expression would scan the whole text.
function wordLeft({ text, cursor }: EditText): number {
  let start = cursor;
  const skip = (isSkipped: (character: string) => boolean) => {
    for (;;) {
      const before =
        start > 1 && isLowSurrogate(text.charCodeAt(start - 1)) ? start - 2 : start - 1;
      if (before < 0 || !isSkipped(text.slice(before, start))) return;
      start = before;
    }
  };
  skip((character) => !isWordCharacter(character));
  skip(isWordCharacter);
  return start;
}

function isWordCharacter(character: string): boolean {
  return /^[\p{L}\p{N}_]/u.test(character);
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
