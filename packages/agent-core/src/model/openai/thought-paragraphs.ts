import type { ModelPart } from "../model-part.js";
import { parseThought } from "../parse-thought.js";

/** Number of characters after which a paragraph becomes a thought before its end. */
const MAX_PARAGRAPH_LENGTH = 4000;

/** Groups reasoning, which arrives word by word, into thoughts of one paragraph each. */
export interface ThoughtParagraphs {
  add(text: string): readonly ModelPart[];
  /** Returns the last paragraph when the reasoning has ended. */
  end(): readonly ModelPart[];
}

/** Creates the groups for one reply. */
export function createThoughtParagraphs(): ThoughtParagraphs {
  let open = "";
  return {
    add(text) {
      const paragraphs = (open + text).split(/\n\s*\n/);
      open = paragraphs.pop() ?? "";
      if (open.length > MAX_PARAGRAPH_LENGTH) {
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
