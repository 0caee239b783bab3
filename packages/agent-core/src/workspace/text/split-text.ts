/** Shorter texts are found by the engine in good time. */
const SHORT = 256;

/**
 * The pieces of a text between the occurrences of another, as `split` gives them. For a long text that
 * repeats itself the engine's own search takes time that grows with the product of both lengths; this
 * one (Knuth, Morris, Pratt) takes time in proportion to their sum.
 */
export function splitText(text: string, sought: string): readonly string[] {
  if (sought.length < SHORT) return text.split(sought);
  const borders = bordersOf(sought);
  const pieces: string[] = [];
  let start = 0;
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== sought.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === sought.charCodeAt(matched)) matched += 1;
    if (matched < sought.length) continue;
    pieces.push(text.slice(start, at + 1 - matched));
    start = at + 1;
    matched = 0;
  }
  return [...pieces, text.slice(start)];
}

/** For each beginning of a text: how long its longest end is that is also its beginning. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (length > 0 && code !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (code === text.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}
