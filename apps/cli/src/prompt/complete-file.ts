import type { EditText } from "./edit-text.js";

/** A file name that is being typed: what stands behind the "@" before the cursor. */
export interface FileMention {
  readonly start: number;
  readonly query: string;
}

const mostMatches = 8;

/** The mention that the cursor is in. */
export function findMention({ text, cursor }: EditText): FileMention | undefined {
  const [, before, query] = /(^|[\s(])@([^\s@]*)$/.exec(text.slice(0, cursor)) ?? [];
  if (before === undefined || query === undefined) return undefined;
  return { start: cursor - query.length - 1, query };
}

/** The files that fit best: those whose name begins with it, then contains it, then has its letters. */
export function matchFiles(query: string, files: readonly string[]): readonly string[] {
  const wanted = query.toLowerCase();
  const best: { readonly file: string; readonly score: number }[] = [];
  for (const file of files) {
    const score = scoreOf(wanted, file);
    if (score === undefined) continue;
    const at = best.findIndex((each) => score < each.score);
    if (at >= 0) best.splice(at, 0, { file, score });
    else if (best.length < mostMatches) best.push({ file, score });
    if (best.length > mostMatches) best.pop();
  }
  return best.map(({ file }) => file);
}

/** The smaller, the better; a short path before a long one. */
function scoreOf(wanted: string, file: string): number | undefined {
  const path = file.toLowerCase();
  const base = path.lastIndexOf("/") + 1;
  if (path.startsWith(wanted)) return path.length;
  if (path.startsWith(wanted, base)) return 10_000 + path.length;
  if (path.includes(wanted, base)) return 20_000 + path.length;
  if (path.includes(wanted)) return 30_000 + path.length;
  return hasLetters(wanted, path) ? 40_000 + path.length : undefined;
}

function hasLetters(wanted: string, path: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    at = path.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Puts a file in the place of the mention. */
export function insertFile(
  { text, cursor }: EditText,
  { start }: FileMention,
  file: string,
): EditText {
  const mention = `@${file.replaceAll(" ", "\\ ")} `;
  return {
    text: text.slice(0, start) + mention + text.slice(cursor),
    cursor: start + mention.length,
  };
}
