import type { JsonObject } from "../validation/message-json.js";

/** A piece of a message: text, a file (inline or by address), or structured data. */
export type Part =
  | { readonly type: "text"; readonly text: string; readonly metadata?: JsonObject }
  | { readonly type: "data"; readonly data: unknown; readonly metadata?: JsonObject }
  | ({ readonly type: "file" } & FilePart);

/** A file in a message: `bytes` is base64, `uri` an address; exactly one is there. */
export interface FilePart {
  /** The content, in base64. */
  readonly bytes?: string;
  /** Where the content is. */
  readonly uri?: string;
  /** Its name, for people. */
  readonly name?: string;
  /** Such as `image/png`. */
  readonly mediaType?: string;
  readonly metadata?: JsonObject;
}

/** The text of a message, its pieces joined. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
