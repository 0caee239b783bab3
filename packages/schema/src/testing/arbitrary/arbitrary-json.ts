import fc from "fast-check";
import type { JsonObject } from "../../validation/message-json.js";

/** Any JSON value that JSON.parse can return. */
export const arbitraryJson: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)));

/** Any JSON object. */
export const arbitraryJsonObject: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)));

/** Non-empty text of any script. */
export const arbitraryText: fc.Arbitrary<string> = fc.string({
  minLength: 1,
  maxLength: 12,
  unit: "grapheme",
});

/** A time in ISO 8601, as our encoders write it. */
export const arbitraryTime: fc.Arbitrary<string> = fc
  .date({
    min: new Date("2020-01-01T00:00:00Z"),
    max: new Date("2040-01-01T00:00:00Z"),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString());

/** A record whose optional keys have a value or are absent, but are never undefined. */
export function arbitraryRecord<TRequired extends object, TOptional extends object>(
  required: { [TKey in keyof TRequired]: fc.Arbitrary<TRequired[TKey]> },
  optional: { [TKey in keyof TOptional]: fc.Arbitrary<TOptional[TKey]> },
): fc.Arbitrary<TRequired & Partial<TOptional>> {
  const model = { ...required, ...optional };
  const requiredKeys = Object.keys(required) as (keyof typeof model)[];
  // The result is cast, because TypeScript cannot infer fast-check's type for two generic
  // parameters.
  return fc.record(model as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: requiredKeys as string[],
    noNullPrototype: true,
  }) as unknown as fc.Arbitrary<TRequired & Partial<TOptional>>;
}
