import type { ModelPart } from "../model-part.js";
import { parseThought } from "../parse-thought.js";

/** Maximum length of an unfinished paragraph. A longer paragraph becomes a thought at once. */
const MAX_PARAGRAPH_LENGTH = 4000;

/** Groups reasoning, which arrives word by word, into thoughts of one paragraph each. */
export interface ThoughtParagraphs {
  /** Adds reasoning, and returns the paragraphs that it completes. */
  add(text: string): readonly ModelPart[];
  /** Returns the last paragraph when the reasoning has ended. */
  end(): readonly ModelPart[];
}

/** Starts to group the reasoning of one reply. */
export function createThoughtParagraphs(): ThoughtParagraphs {
  let unfinished = "";
  return {
    add(text) {
      const paragraphs = (unfinished + text).split(/\n\s*\n/);
      unfinished = paragraphs.pop() ?? "";
      if (unfinished.length > MAX_PARAGRAPH_LENGTH) {
        paragraphs.push(unfinished);
        unfinished = "";
      }
      return paragraphs.flatMap(toThought);
    },
    end() {
      const rest = unfinished;
      unfinished = "";
      return toThought(rest);
    },
  };
}

function toThought(text: string): readonly ModelPart[] {
  return text.trim() === "" ? [] : [{ type: "thought", thought: parseThought(text) }];
}
