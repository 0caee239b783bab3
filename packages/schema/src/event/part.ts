import type { JsonObject } from "../validation/message-json.js";

/** A piece of a message: text, a file (inline or by address), or structured data. */
export type Part =
  | { readonly type: "text"; readonly text: string; readonly metadata?: JsonObject }
  | { readonly type: "data"; readonly data: unknown; readonly metadata?: JsonObject }
  | ({ readonly type: "file" } & FilePart);

/** A file in a message. It has either `bytes`, in base64, or a `uri`. */
export interface FilePart {
  /** Content, in base64. */
  readonly bytes?: string;
  /** Address of the content. */
  readonly uri?: string;
  /** Name to show. */
  readonly name?: string;
  /** Media type, such as `image/png`. */
  readonly mediaType?: string;
  readonly metadata?: JsonObject;
}

/** Joins the text parts of a message. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
