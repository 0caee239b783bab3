import type { AgentThought } from "@dt/schema";

/** Maximum number of characters of a subject that comes from the first sentence. */
const MAX_TITLE_LENGTH = 80;

/**
 * Splits a thought of the form `**Subject** description`. If no subject is marked, the first sentence
 * becomes the subject and also stays in the description.
 */
export function parseThought(text: string): AgentThought {
  const match = /\*\*(.+?)\*\*/s.exec(text);
  if (match === null) return { subject: titleOf(text), description: text.trim() };
  const before = text.slice(0, match.index).trim();
  const after = text.slice(match.index + match[0].length).trim();
  const description = [before, after].filter((half) => half !== "").join("\n");
  return { subject: (match[1] ?? "").trim(), description };
}

function titleOf(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  const sentence = /^.*?[.!?:](?=\s)/.exec(line)?.[0] ?? line;
  const letters = [...sentence];
  if (letters.length <= MAX_TITLE_LENGTH) return sentence;
  return `${letters.slice(0, MAX_TITLE_LENGTH - 1).join("")}…`;
}
