import type { ModelPart } from "../model-part.js";
import { parseThought } from "../parse-thought.js";

/** A paragraph longer than this is shown in pieces. */
const longestParagraph = 4000;

/** Turns reasoning, which comes word by word, into thoughts of a paragraph each. */
export interface ThoughtParagraphs {
  add(text: string): readonly ModelPart[];
  /** The reasoning has ended: what is left of it. */
  end(): readonly ModelPart[];
}

/** Gathers the reasoning of one answer. */
export function createThoughtParagraphs(): ThoughtParagraphs {
  let open = "";
  return {
    add(text) {
      const paragraphs = (open + text).split(/\n\s*\n/);
      open = paragraphs.pop() ?? "";
      if (open.length > longestParagraph) {
        paragraphs.push(open);
        open = "";
      }
      return paragraphs.flatMap(toThought);
    },
    end() {
      const rest = open;
      open = "";
      return toThought(rest);
    },
  };
}

function toThought(text: string): readonly ModelPart[] {
  return text.trim() === "" ? [] : [{ type: "thought", thought: parseThought(text) }];
}
