/** The two texts to compare, and the file names to show. */
export interface CoarsePatchOptions {
  readonly oldName: string;
  readonly newName: string;
  readonly before: string;
  readonly after: string;
}

const CONTEXT_LINES = 3;
const LINE_END = "\n".charCodeAt(0);

/**
 * Builds a unified diff with one hunk. The hunk replaces everything between the equal lines at the
 * start and the equal lines at the end. The diff is not minimal, but building it takes linear time.
 */
export function buildCoarsePatch({ oldName, newName, before, after }: CoarsePatchOptions): string {
  const start = commonStart(before, after);
  const endLength = commonEnd(before, after, start);
  const from = contextStart(before, start);
  const old = before.slice(start, before.length - endLength);
  const lead = before.slice(from, start);
  const tail = before.slice(
    before.length - endLength,
    contextEnd(before, before.length - endLength),
  );
  const added = after.slice(start, after.length - endLength);
  const first = countLines(before.slice(0, from));
  const contextLines = countLines(lead) + countLines(tail);
  const range = (lines: number) => `${lines === 0 ? first : first + 1},${lines}`;
  const ranges = `-${range(contextLines + countLines(old))} +${range(contextLines + countLines(added))}`;
  const hunk =
    prefixLines(" ", lead) +
    prefixLines("-", old) +
    prefixLines("+", added) +
    prefixLines(" ", tail);
  return `--- ${oldName}\n+++ ${newName}\n@@ ${ranges} @@\n${hunk}`;
}

/** Returns the position at which the first different line starts. */
function commonStart(one: string, other: string): number {
  const maxLength = Math.min(one.length, other.length);
  let at = 0;
  while (at < maxLength && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  while (at > 0 && one.charCodeAt(at - 1) !== LINE_END) at -= 1;
  return at;
}

/** Returns the length of the equal whole lines at the end of both texts. Ignores lines before `start`. */
function commonEnd(one: string, other: string, start: number): number {
  const maxLength = Math.min(one.length, other.length) - start;
  let count = 0;
  const shift = other.length - one.length;
  for (let at = one.length - 1; count < maxLength; at -= 1) {
    if (one.charCodeAt(at) !== other.charCodeAt(at + shift)) break;
    count += 1;
  }
  const isLine = (text: string) => isLineStart(text, text.length - count, start);
  if (isLine(one) && isLine(other)) return count;
  const end = one.indexOf("\n", one.length - count);
  return end < 0 ? 0 : one.length - end - 1;
}

function isLineStart(text: string, at: number, start: number): boolean {
  return at === start || text[at - 1] === "\n";
}

/** Returns the position at which the context before `start` begins. */
function contextStart(text: string, start: number): number {
  let at = start;
  for (let lines = 0; lines < CONTEXT_LINES && at > 0; lines += 1) {
    at = at < 2 ? 0 : text.lastIndexOf("\n", at - 2) + 1;
  }
  return at;
}

/** Returns the position at which the context after `end` ends. */
function contextEnd(text: string, end: number): number {
  let at = end;
  for (let lines = 0; lines < CONTEXT_LINES && at < text.length; lines += 1) {
    at = text.indexOf("\n", at) + 1 || text.length;
  }
  return at;
}

/** Counts the lines of a text. A last line without a line end is counted too. */
export function countLines(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === LINE_END) count += 1;
  return text === "" || text.endsWith("\n") ? count : count + 1;
}

/** Prefixes each line with a sign. */
function prefixLines(sign: string, lines: string): string {
  if (lines === "") return "";
  const isWhole = lines.endsWith("\n");
  const body = (isWhole ? lines.slice(0, -1) : lines).split("\n").join(`\n${sign}`);
  return `${sign}${body}\n${isWhole ? "" : "\\ No newline at end of file\n"}`;
}
