import { isJsonTextDeep, isNestedDeeper, MAX_VALUE_DEPTH } from "@dt/schema";

/** The input of a tool request, or why it cannot be read. */
export interface ParsedToolInput {
  readonly input: Readonly<Record<string, unknown>>;
  readonly inputError?: string;
}

/** Lists, objects and what is in them. Each is checked and stored, which takes far longer than its bytes. */
const MAX_INPUT_VALUES = 50_000;

const TOO_MANY: ParsedToolInput = {
  input: {},
  inputError: `the arguments hold more than ${MAX_INPUT_VALUES} values; send less at once`,
};

const TOO_DEEP: ParsedToolInput = {
  input: {},
  inputError: `the arguments are nested deeper than ${MAX_VALUE_DEPTH} levels`,
};

/** The arguments as a model wrote them, JSON text. Nothing at all means no arguments. */
export function parseToolInput(text: string): ParsedToolInput {
  if (text.trim() === "") return { input: {} };
  if (isJsonTextDeep(text)) return TOO_DEEP;
  // Counted in the text, because an object of very many keys is slow to parse and slower to walk.
  if (hasMoreMembers(text, MAX_INPUT_VALUES)) return TOO_MANY;
  try {
    return toToolInput(JSON.parse(text));
  } catch (reason) {
    if (!(reason instanceof SyntaxError)) throw reason;
    return { input: {}, inputError: `the arguments are not valid JSON: ${reason.message}` };
  }
}

/** Arguments that were already JSON. */
export function toToolInput(value: unknown): ParsedToolInput {
  if (value === undefined) return { input: {} };
  // Deeper ones can neither be stored nor read by clients.
  if (isNestedDeeper(value, MAX_VALUE_DEPTH)) return TOO_DEEP;
  if (holdsMoreThan(value, MAX_INPUT_VALUES)) return TOO_MANY;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return { input: { ...value } };
  }
  return { input: {}, inputError: "the arguments must be a JSON object" };
}

/** True if JSON text separates more members of lists and objects than this. */
function hasMoreMembers(text: string, most: number): boolean {
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

function holdsMoreThan(value: unknown, most: number): boolean {
  const open: unknown[] = [value];
  for (let count = 0; open.length > 0; count += 1) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    // Without a list of all members, which would be slow to build.
    for (const key in next) {
      open.push((next as Readonly<Record<string, unknown>>)[key]);
      if (count + open.length > most) return true;
    }
  }
  return false;
}
