import { ModelFailure } from "../retry/model-failure.js";

// What a vendor sends is not what its types say. These read one field each: null and absent are the
// same, and a value of another type is a failure that names the field.

/** An object, if there is one. */
export function readObjectField(
  owner: object,
  name: string | number,
): Readonly<Record<string, unknown>> | undefined {
  const value = fieldOf(owner, name);
  if (value === undefined) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) throw misshapen(name, "an object");
  return value as Readonly<Record<string, unknown>>;
}

/** A list; empty if there is none. */
export function readListField(owner: object, name: string): readonly unknown[] {
  const value = fieldOf(owner, name) ?? [];
  if (!Array.isArray(value)) throw misshapen(name, "a list");
  return value;
}

/** A text; empty if there is none. */
export function readTextField(owner: object, name: string): string {
  const value = fieldOf(owner, name) ?? "";
  if (typeof value !== "string") throw misshapen(name, "a text");
  return value;
}

/** A number; 0 if there is none. */
export function readNumberField(owner: object, name: string): number {
  const value = fieldOf(owner, name) ?? 0;
  if (typeof value !== "number") throw misshapen(name, "a number");
  return value;
}

function fieldOf(owner: object, name: string | number): object | string | number | undefined {
  return (owner as Record<string | number, never>)[name] ?? undefined;
}

function misshapen(name: string | number, expected: string): ModelFailure {
  const what = typeof name === "number" ? "an entry of a list" : name;
  return new ModelFailure(`the model's answer cannot be read: ${what} is not ${expected}`, {
    isTransient: true,
  });
}
