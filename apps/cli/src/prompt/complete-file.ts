import type { EditText } from "./edit-text.js";

/** A file name that is being typed: the text between an "@" at the index `start` and the cursor. */
export interface FileMention {
  readonly start: number;
  readonly query: string;
}

const MAX_MATCHES = 8;

/** Finds the mention that ends at the cursor. */
export function findMention({ text, cursor }: EditText): FileMention | undefined {
  const [, before, query] = /(^|[\s(])@([^\s@]*)$/.exec(text.slice(0, cursor)) ?? [];
  if (before === undefined || query === undefined) return undefined;
  return { start: cursor - query.length - 1, query };
}

/**
 * Finds the best matches: first paths that begin with the query, then paths whose file name begins with it,
 * then paths that contain it, then paths that contain its characters in the same order.
 */
export function matchFiles(query: string, files: readonly string[]): readonly string[] {
  const wanted = query.toLowerCase();
  const best: { readonly file: string; readonly score: number }[] = [];
  for (const file of files) {
    const score = scoreOf(wanted, file);
    if (score === undefined) continue;
    const at = best.findIndex((each) => score < each.score);
    if (at >= 0) best.splice(at, 0, { file, score });
    else if (best.length < MAX_MATCHES) best.push({ file, score });
    if (best.length > MAX_MATCHES) best.pop();
  }
  return best.map(({ file }) => file);
}

/** Scores a path: a better match and a shorter path have a smaller score. Undefined without a match. */
function scoreOf(wanted: string, file: string): number | undefined {
  const path = file.toLowerCase();
  const base = path.lastIndexOf("/") + 1;
  if (path.startsWith(wanted)) return path.length;
  if (path.startsWith(wanted, base)) return 10_000 + path.length;
  if (path.includes(wanted, base)) return 20_000 + path.length;
  if (path.includes(wanted)) return 30_000 + path.length;
  return hasCharacters(wanted, path) ? 40_000 + path.length : undefined;
}

function hasCharacters(wanted: string, path: string): boolean {
  let at = 0;
  for (const character of wanted) {
    at = path.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Replaces a mention with the path of a file. */
export function completeMention(
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
