import { failAt, type Part } from "@dt/schema";

/** A prompt: text, or parts with text, files and data. */
export type PromptInput = string | readonly Part[];

/** Converts a prompt to the parts of a message. Content that no agent can read is refused. */
export function toParts(prompt: PromptInput): readonly Part[] {
  const parts: readonly Part[] =
    typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
  if (!Array.isArray(parts) || parts.length === 0)
    failAt("prompt", "expected text or at least one part");
  for (const [index, part] of parts.entries()) checkPart(part, `prompt[${index}]`);
  return parts;
}

/** Creates a file part for a prompt from the bytes of a file. */
export function filePart(
  bytes: Uint8Array,
  { name, mediaType }: { readonly name?: string; readonly mediaType?: string } = {},
): Part {
  let binary = "";
  // The bytes are converted in pieces, because a call accepts a limited number of arguments.
  for (let start = 0; start < bytes.length; start += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return {
    type: "file",
    bytes: btoa(binary),
    ...(name !== undefined && { name }),
    ...(mediaType !== undefined && { mediaType }),
  };
}

function checkPart(part: Part, path: string): void {
  switch (part?.type) {
    case "text":
      if (typeof part.text !== "string") failAt(`${path}.text`, "expected a string");
      return;
    case "data":
      if (part.data === undefined) failAt(`${path}.data`, "required");
      if (!isJson(part.data)) failAt(`${path}.data`, "is not JSON");
      return;
    case "file":
      if ((part.bytes === undefined) === (part.uri === undefined)) {
        failAt(path, "expected either bytes, in base64, or a uri");
      }
      if (part.bytes !== undefined && !isBase64(part.bytes)) {
        failAt(`${path}.bytes`, "expected base64");
      }
      return;
    default:
      failAt(`${path}.type`, "expected text, data or file");
  }
}

// Returns true if a value can be encoded as JSON. JSON.stringify throws for cycles and bigints, and
// returns undefined for functions.
function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

function isBase64(bytes: unknown): boolean {
  return typeof bytes === "string" && bytes.length % 4 === 0 && /^[\w+/-]*={0,2}$/.test(bytes);
}
