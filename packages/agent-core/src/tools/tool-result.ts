import type { ToolCall, ToolOutput } from "@dt/schema";
import type { ToolResult } from "../model/history.js";

/** Converts an ended call to the result that the model reads. `refusal` is the person's reason, if given. */
export function toToolResult(call: ToolCall, refusal?: string): ToolResult {
  const { toolCallId, toolName, result } = call;
  if (result?.$case === "output") {
    const image = findResultImage(result.value);
    return {
      toolCallId,
      toolName,
      text: outputText(result.value),
      isError: false,
      ...(image && { image: { mediaType: image.mediaType, bytes: image.bytes } }),
    };
  }
  const text = result?.$case === "error" ? result.value.message : toRefusalText(refusal);
  return { toolCallId, toolName, text, isError: true };
}

function toRefusalText(reason: string | undefined): string {
  if (reason !== undefined) return `The user did not allow this and said: ${reason}`;
  return "The user did not allow this. Do not try to reach the same end in another way; ask what to do instead.";
}

/** An image that a call returned. */
export interface ResultImage {
  readonly mediaType: string;
  /** The bytes of the image in Base64. */
  readonly bytes: string;
  readonly path: string;
}

/**
 * Returns the image in the output of a call, for models that accept images; undefined if the output
 * is not an image.
 */
export function findResultImage({ result }: ToolOutput): ResultImage | undefined {
  if (result?.$case !== "structuredData" || result.value?.type !== "image") return undefined;
  const { media_type, bytes_base64, path } = result.value;
  return { mediaType: String(media_type), bytes: String(bytes_base64), path: String(path) };
}

function outputText(output: ToolOutput): string {
  const { result } = output;
  switch (result?.$case) {
    case "text":
      return result.value;
    case "diff":
      return `wrote ${result.value.filePath}\n${result.value.formattedDiff ?? ""}`;
    case "structuredData": {
      const image = findResultImage(output);
      return image === undefined
        ? JSON.stringify(result.value)
        : `[${image.path}: an image, ${image.mediaType}, ${Buffer.byteLength(image.bytes, "base64")} bytes]`;
    }
    case undefined:
      return "";
  }
}
