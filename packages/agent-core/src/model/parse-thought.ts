import type { AgentThought } from "@dt/schema";

/** A thought as models write it, `**Subject** description` → its two halves. */
export function parseThought(text: string): AgentThought {
  const match = /\*\*(.+?)\*\*/s.exec(text);
  if (match === null) return { subject: "", description: text.trim() };
  const before = text.slice(0, match.index).trim();
  const after = text.slice(match.index + match[0].length).trim();
  const description = [before, after].filter((half) => half !== "").join("\n");
  return { subject: (match[1] ?? "").trim(), description };
}
