import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Part } from "@dt/schema";

/** Converts a part of a message to content that every editor can show. */
export function toContent(part: Part): ContentBlock {
  switch (part.type) {
    case "text":
      return textContent(part.text);
    case "data":
      return textContent(fence(JSON.stringify(part.data, null, 2) ?? "", "json"));
    case "file":
      return toFileContent(part);
  }
}

/** Builds a text block. */
export function textContent(text: string): ContentBlock {
  return { type: "text", text };
}

/** Puts text between fences that do not occur in it, because editors show texts as Markdown. */
export function fence(text: string, language = ""): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce(
    (max, { length }) => Math.max(max, length),
    2,
  );
  const marks = "`".repeat(longest + 1);
  return `${marks}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${marks}`;
}

function toFileContent({ bytes, uri, mediaType, name }: Part & { readonly type: "file" }) {
  if (bytes !== undefined && mediaType?.startsWith("image/") === true) {
    return { type: "image", data: bytes, mimeType: mediaType } satisfies ContentBlock;
  }
  if (uri !== undefined) {
    const link = { type: "resource_link", name: name ?? uri, uri } as const;
    return { ...link, ...(mediaType !== undefined && { mimeType: mediaType }) };
  }
  return textContent(`[file ${name ?? "without a name"}${mediaType ? `, ${mediaType}` : ""}]`);
}
