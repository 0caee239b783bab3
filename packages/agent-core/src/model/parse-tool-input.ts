import { isJsonTextDeep, isNestedDeeper, MAX_VALUE_DEPTH } from "@dt/schema";

/** The input of a tool request, or the reason why the input could not be parsed. */
export interface ParsedToolInput {
  readonly input: Readonly<Record<string, unknown>>;
  readonly inputError?: string;
}

/** Maximum number of values in an input. Each value takes time to check and to store. */
const MAX_INPUT_VALUES = 50_000;

const TOO_MANY: ParsedToolInput = {
  input: {},
  inputError: `the arguments contain more than ${MAX_INPUT_VALUES} values; split them over several calls`,
};

const TOO_DEEP: ParsedToolInput = {
  input: {},
  inputError: `the arguments are nested deeper than ${MAX_VALUE_DEPTH} levels`,
};

/** Parses arguments that a model wrote as JSON text. Empty text means no arguments. */
export function parseToolInput(text: string): ParsedToolInput {
  if (text.trim() === "") return { input: {} };
  if (isJsonTextDeep(text)) return TOO_DEEP;
  // Commas are counted before the text is parsed, because an object with very many keys is slow to parse.
  if (hasMoreCommas(text, MAX_INPUT_VALUES)) return TOO_MANY;
  try {
    return toToolInput(JSON.parse(text));
  } catch (reason) {
    if (!(reason instanceof SyntaxError)) throw reason;
    return { input: {}, inputError: `the arguments are not valid JSON: ${reason.message}` };
  }
}

/** Checks arguments that are already parsed. */
export function toToolInput(value: unknown): ParsedToolInput {
  if (value === undefined) return { input: {} };
  // Clients cannot read deeper values, and the store refuses them.
  if (isNestedDeeper(value, MAX_VALUE_DEPTH)) return TOO_DEEP;
  if (hasMoreValues(value, MAX_INPUT_VALUES)) return TOO_MANY;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return { input: { ...value } };
  }
  return { input: {}, inputError: "the arguments must be a JSON object" };
}

/**
 * Returns true if a JSON text has more than `most` commas outside strings. Such a text has more than `most`
 * values.
 */
function hasMoreCommas(text: string, most: number): boolean {
  let count = 0;
  let isInString = false;
  for (let at = 0; at < text.length && count <= most; at += 1) {
    const char = text[at];
    if (char === '"') isInString = !isInString;
    else if (isInString) at += char === "\\" ? 1 : 0;
    else if (char === ",") count += 1;
  }
  return count > most;
}

function hasMoreValues(value: unknown, most: number): boolean {
  const open: unknown[] = [value];
  for (let count = 0; open.length > 0; count += 1) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    // `for in` avoids a list of all keys, which would be slow to build.
    for (const key in next) {
      open.push((next as Readonly<Record<string, unknown>>)[key]);
      if (count + open.length > most) return true;
    }
  }
  return false;
}
