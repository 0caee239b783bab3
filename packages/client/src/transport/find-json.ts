import { parseBoundedJson } from "@dt/schema";

/** What a text says as JSON; undefined where it is none. */
export function findJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}
