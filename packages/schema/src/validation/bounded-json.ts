/** The deepest nesting of JSON text that is read at all; what a message may have is far less. */
export const MAX_JSON_DEPTH = 10_000;

/**
 * Parses JSON from outside. Throws a SyntaxError for what is no JSON, and for what is nested too deep:
 * the engine takes seconds, and much memory, for a few megabytes of `[`.
 */
export function parseBoundedJson(text: string): unknown {
  if (isJsonTextDeep(text)) throw new SyntaxError(`nested deeper than ${MAX_JSON_DEPTH} levels`);
  return JSON.parse(text);
}

/** What a text says as JSON; undefined if it is none, or nested too deep to be parsed. */
export function findJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

/** Whether JSON text is nested too deep to be parsed. It is walked once, up to the depth. */
export function isJsonTextDeep(text: string): boolean {
  if (text.length <= MAX_JSON_DEPTH) return false;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') isInString = !isInString;
    else if (isInString) at += char === "\\" ? 1 : 0;
    else if (char === "[" || char === "{") depth += 1;
    else if (char === "]" || char === "}") depth -= 1;
    if (depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}
