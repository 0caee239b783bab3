import { ModelFailure } from "../retry/model-failure.js";

// Servers do not always send the types that their SDK declares. So each function checks the field that it
// reads. A field that is null counts as absent. A value of the wrong type throws a `ModelFailure`.

/** Reads a field that is an object; undefined if the field is absent. */
export function readObjectField(
  owner: object,
  name: string | number,
): Readonly<Record<string, unknown>> | undefined {
  const value = fieldOf(owner, name);
  if (value === undefined) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) throw wrongType(name, "an object");
  return value as Readonly<Record<string, unknown>>;
}

/** Reads a field that is a list; empty if the field is absent. */
export function readListField(owner: object, name: string): readonly unknown[] {
  const value = fieldOf(owner, name) ?? [];
  if (!Array.isArray(value)) throw wrongType(name, "a list");
  return value;
}

/** Reads a field that is a text; empty if the field is absent. */
export function readTextField(owner: object, name: string): string {
  const value = fieldOf(owner, name) ?? "";
  if (typeof value !== "string") throw wrongType(name, "a text");
  return value;
}

/** Reads a field that is a number; 0 if the field is absent. */
export function readNumberField(owner: object, name: string): number {
  const value = fieldOf(owner, name) ?? 0;
  if (typeof value !== "number") throw wrongType(name, "a number");
  return value;
}

/** Largest number that our wire format accepts for tokens. */
const MAX_TOKENS = 2 ** 31 - 1;

/**
 * Reads a count of tokens; 0 if the field is absent. The result is an integer and never negative, because a negative
 * count would lower the use of a budget, and stores keep integers only.
 */
export function readTokensField(owner: object, name: string): number {
  return Math.min(Math.max(0, Math.round(readNumberField(owner, name))), MAX_TOKENS);
}

function fieldOf(owner: object, name: string | number): object | string | number | undefined {
  return (owner as Record<string | number, never>)[name] ?? undefined;
}

function wrongType(name: string | number, expected: string): ModelFailure {
  const what = typeof name === "number" ? "an entry of a list" : name;
  return new ModelFailure(`the model's reply cannot be read: ${what} is not ${expected}`, {
    isTransient: true,
  });
}
