import type { ContentBlock, EmbeddedResource, ResourceLink } from "@agentclientprotocol/sdk";
import { type Part, ProtocolError } from "@dt/schema";

/**
 * Converts the content of an editor's prompt to parts. The typed text and the names of linked and embedded
 * files become one text part, in their order. Embedded files and images follow as file parts.
 */
export function fromContent(blocks: readonly ContentBlock[]): readonly Part[] {
  const text = blocks.map(textIn).join("");
  const files = blocks.flatMap(filesIn);
  if (text.trim() === "" && files.length === 0) {
    throw new ProtocolError(
      "invalid-message",
      "the prompt is empty; write what the agent should do",
    );
  }
  return [...(text === "" ? [] : [{ type: "text" as const, text }]), ...files];
}

function textIn(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `@${nameOfLink(block)}`;
    case "resource":
      return `@${pathOf(block.resource.uri)}`;
    default:
      return "";
  }
}

function filesIn(block: ContentBlock): readonly Part[] {
  switch (block.type) {
    case "image":
      return [{ type: "file", bytes: block.data, mediaType: block.mimeType }];
    case "resource":
      return [toFile(block.resource)];
    case "audio":
      throw new ProtocolError(
        "content-type-not-supported",
        "the agent cannot listen to audio; send text, images or files",
      );
    default:
      return [];
  }
}

function toFile(resource: EmbeddedResource["resource"]): Part {
  const name = pathOf(resource.uri);
  if ("text" in resource) {
    // The type is plain text whatever the file is, because models read it as text.
    const bytes = encodeBase64(new TextEncoder().encode(resource.text));
    return { type: "file", name, mediaType: "text/plain", bytes };
  }
  const { blob, mimeType } = resource;
  return { type: "file", name, bytes: blob, ...(mimeType != null && { mediaType: mimeType }) };
}

function nameOfLink({ uri, name }: ResourceLink): string {
  return uri.startsWith("file:") ? pathOf(uri) : `${name} (${uri})`;
}

/** Returns the path of a file; any other address stays as it is. */
function pathOf(uri: string): string {
  if (!uri.startsWith("file://")) return uri;
  try {
    return decodeURIComponent(uri.slice("file://".length));
  } catch {
    return uri;
  }
}

function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
