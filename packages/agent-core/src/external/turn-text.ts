import type { Part } from "@dt/schema";
import { createThoughtParagraphs } from "../model/openai/thought-paragraphs.js";
import type { Recorder } from "../record/recorder.js";

/** Publishes the text and the thoughts of an external agent in one turn. */
export interface TurnText {
  addText(text: string, attachments?: readonly Part[]): void;
  addThought(text: string): void;
  /** Publishes an unfinished thought, because the agent continues with something else. */
  endThought(): void;
  /** The text of the turn so far, cut at `MAX_JOURNALED` characters. */
  readonly whole: string;
}

/** Maximum number of characters of a turn's text that the journal stores. The events contain the whole text. */
const MAX_JOURNALED = 200_000;

/** Starts the text of a turn. */
export function createTurnText(recorder: Pick<Recorder, "publish">): TurnText {
  let thoughts = createThoughtParagraphs();
  let whole = "";

  function publishThoughts(parts: ReturnType<typeof thoughts.end>): void {
    for (const part of parts) {
      if (part.type === "thought") recorder.publish({ kind: "THOUGHT", thought: part.thought });
    }
  }

  function endThought(): void {
    publishThoughts(thoughts.end());
    thoughts = createThoughtParagraphs();
  }

  return {
    addText(text, attachments = []) {
      endThought();
      if (text === "" && attachments.length === 0) return;
      recorder.publish({
        kind: "TEXT_CONTENT",
        text,
        ...(attachments.length > 0 && { attachments }),
      });
      if (whole.length < MAX_JOURNALED) whole += text.slice(0, MAX_JOURNALED - whole.length);
    },
    addThought: (text) => publishThoughts(thoughts.add(text)),
    endThought,
    get whole() {
      return whole;
    },
  };
}
