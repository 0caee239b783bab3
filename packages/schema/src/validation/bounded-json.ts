/** Maximum nesting of JSON text that is parsed. The limit for a message is much lower. */
export const MAX_JSON_DEPTH = 10_000;

/**
 * Parses untrusted JSON. Throws a SyntaxError for text that is not JSON or is nested too deep.
 * Without that limit, the engine needs seconds and much memory for a few megabytes of `[`.
 */
export function parseBoundedJson(text: string): unknown {
  if (isJsonTextDeep(text)) throw new SyntaxError(`nested deeper than ${MAX_JSON_DEPTH} levels`);
  return JSON.parse(text);
}

/** Parses a text as JSON. Returns undefined if the text is not JSON or is nested too deep. */
export function findJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

/** Returns true if JSON text is nested deeper than {@link MAX_JSON_DEPTH}. */
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
