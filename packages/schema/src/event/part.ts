import type { JsonObject } from "../validation/message-json.js";

/** A piece of a message: text, a file (inline or by address), or structured data. */
export type Part =
  | { readonly type: "text"; readonly text: string; readonly metadata?: JsonObject }
  | { readonly type: "data"; readonly data: unknown; readonly metadata?: JsonObject }
  | ({ readonly type: "file" } & FilePart);

/** A file in a message: `bytes` is base64, `uri` an address; exactly one is there. */
export interface FilePart {
  readonly bytes?: string;
  readonly uri?: string;
  readonly name?: string;
  readonly mediaType?: string;
  readonly metadata?: JsonObject;
}

/** The text of a message, its pieces joined. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
