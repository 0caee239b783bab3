import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Part } from "@dt/schema";

/** The contents of prompts that an agent accepts besides text and links. */
export interface PromptAbilities {
  readonly image: boolean;
  readonly audio: boolean;
  readonly embeddedContext: boolean;
}

/** Converts a prompt to blocks of the protocol. A part that the agent does not accept becomes text. Pure. */
export function toPromptBlocks(parts: readonly Part[], abilities: PromptAbilities): ContentBlock[] {
  return parts.map((part) => toBlock(part, abilities));
}

function toBlock(part: Part, abilities: PromptAbilities): ContentBlock {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "data") return { type: "text", text: JSON.stringify(part.data) };
  const { bytes, uri, mediaType = "application/octet-stream", name = "file" } = part;
  if (bytes === undefined) {
    return uri === undefined
      ? { type: "text", text: `[file: ${name}]` }
      : { type: "resource_link", uri, name, mimeType: mediaType };
  }
  if (mediaType.startsWith("image/") && abilities.image)
    return { type: "image", data: bytes, mimeType: mediaType };
  if (mediaType.startsWith("audio/") && abilities.audio)
    return { type: "audio", data: bytes, mimeType: mediaType };
  if (abilities.embeddedContext) {
    const resource = { uri: uri ?? `attachment:${encodeURIComponent(name)}`, mimeType: mediaType };
    return mediaType.startsWith("text/")
      ? { type: "resource", resource: { ...resource, text: decodeText(bytes) } }
      : { type: "resource", resource: { ...resource, blob: bytes } };
  }
  if (mediaType.startsWith("text/"))
    return { type: "text", text: `${name}:\n${decodeText(bytes)}` };
  return { type: "text", text: `[file ${name} (${mediaType}), which this agent does not accept]` };
}

function decodeText(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}
