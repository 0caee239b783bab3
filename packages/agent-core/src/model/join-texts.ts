import type { ModelPart } from "./model-part.js";

/**
 * Joins adjacent texts in a batch of parts, so that a fast model causes few events. A text with a signature
 * stays as it is, because the vendor checks the signature against that text. Only the last usage is kept,
 * because it replaces the earlier ones.
 */
export function joinTexts(parts: readonly ModelPart[]): readonly ModelPart[] {
  if (parts.length < 2) return parts;
  const joined: ModelPart[] = [];
  const lastUsage = parts.findLast((part) => part.type === "usage");
  for (const part of parts) {
    if (part.type === "usage" && part !== lastUsage) continue;
    const previous = joined.at(-1);
    if (isPlainText(part) && previous !== undefined && isPlainText(previous)) {
      joined[joined.length - 1] = { type: "text", text: previous.text + part.text };
    } else {
      joined.push(part);
    }
  }
  return joined;
}

function isPlainText(part: ModelPart): part is ModelPart & { type: "text" } {
  return part.type === "text" && part.signature === undefined;
}
