import type { FilePart } from "@dt/schema";

/** What a model can be given of a file. */
export type FileContent =
  | { readonly type: "image"; readonly mediaType: string; readonly bytes: string }
  | { readonly type: "image-address"; readonly mediaType: string; readonly uri: string }
  | { readonly type: "text"; readonly text: string };

/** A file of a prompt → what a model is shown: an image, its text, or a note that it is there. */
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
  const place = uri === undefined ? "its content cannot be shown here" : `it is at ${uri}`;
  return { type: "text", text: `[attached file ${nameOf(file)}: ${place}]` };
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType === "application/json";
}

function nameOf({ name = "without a name", mediaType }: FilePart): string {
  return mediaType === undefined ? name : `${name} (${mediaType})`;
}
