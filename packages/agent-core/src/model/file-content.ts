import type { FilePart } from "@dt/schema";

/** A file in a form that a model accepts. */
export type FileContent =
  | { readonly type: "image"; readonly mediaType: string; readonly bytes: string }
  | { readonly type: "image-address"; readonly mediaType: string; readonly uri: string }
  | { readonly type: "text"; readonly text: string };

/** Converts a file of a prompt to an image, its text, or a note that it exists. */
export function toFileContent(file: FilePart): FileContent {
  const { bytes, uri, mediaType = "" } = file;
  if (mediaType.startsWith("image/")) {
    if (bytes !== undefined) return { type: "image", mediaType, bytes };
    if (uri !== undefined) return { type: "image-address", mediaType, uri };
  }
  if (bytes !== undefined && isText(mediaType)) {
    const text = Buffer.from(bytes, "base64").toString("utf8");
    return { type: "text", text: `[attached file ${nameOf(file)}]\n${text}` };
  }
  const location = uri === undefined ? "its content cannot be shown here" : `it is at ${uri}`;
  return { type: "text", text: `[attached file ${nameOf(file)}: ${location}]` };
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType === "application/json";
}

function nameOf({ name = "without a name", mediaType }: FilePart): string {
  return mediaType === undefined ? name : `${name} (${mediaType})`;
}
