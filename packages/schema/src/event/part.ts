import type { JsonObject } from "../validation/message-json.js";

/** A piece of a message: text, a file (inline or by address), or structured data. */
export type Part =
  | ({ readonly type: "text"; readonly text: string } & Omit<FilePart, "bytes" | "uri">)
  | ({ readonly type: "data"; readonly data: unknown } & Omit<FilePart, "bytes" | "uri">)
  | ({ readonly type: "file" } & FilePart);

/**
 * A file in a message. It has either `bytes` or a `uri`. The fields `name`, `mediaType` and `metadata` also
 * exist in parts of text and data, although A2A 0.3 has a name and a media type only for files.
 */
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

/** A result of a task, such as a file or a report. Its id is unique in the task. */
export interface Artifact {
  readonly artifactId: string;
  /** Name to show. */
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  /** URIs of the extensions that the artifact uses. */
  readonly extensions?: readonly string[];
}

/** Joins the text parts of a message with line breaks. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
