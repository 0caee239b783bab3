import type { ModelPart } from "../model-part.js";

/** An attempt counts as a repetition if at least this many of its first characters equal the earlier text. */
const MIN_REPETITION_LENGTH = 16;

/** Types of parts that are left out if the same part was shown before. */
const REPEATED_TYPES: ReadonlySet<ModelPart["type"]> = new Set(["thought", "citation", "file"]);

/** One reply, which may need several attempts. */
export interface RetriedReply {
  /** The text that has been shown so far, over all attempts. */
  readonly text: string;
  /** Begins an attempt. */
  openAttempt(): ReplyAttempt;
}

/** One attempt to get a reply. */
export interface ReplyAttempt {
  /** Adds a part; returns the parts to show now. */
  push(part: ModelPart): readonly ModelPart[];
  /** Returns the parts that had to wait for the end of the attempt. */
  finish(): readonly ModelPart[];
}

/**
 * Joins the attempts at one reply, so that nothing is shown twice.
 *
 * A tool request and the parts after it wait for the end of their attempt, so that a broken attempt runs
 * no tool. Text, thoughts, citations and files that an earlier attempt has shown are left out.
 */
export function createRetriedReply(): RetriedReply {
  let text = "";
  const shown = new Set<string>();

  const show = (part: ModelPart): readonly ModelPart[] => {
    if (part.type === "text") text += part.text;
    if (!REPEATED_TYPES.has(part.type)) return [part];
    const key = JSON.stringify(part);
    if (shown.has(key)) return [];
    shown.add(key);
    return [part];
  };

  return {
    get text() {
      return text;
    },
    openAttempt() {
      const removeRepetition = withoutRepetition(text);
      const waiting: ModelPart[] = [];
      const release = (part: ModelPart) =>
        (part.type === "text" ? removeRepetition(part) : [part]).flatMap(show);
      return {
        push(part) {
          if (waiting.length === 0 && part.type !== "tool-request") return release(part);
          waiting.push(part);
          return [];
        },
        finish: () => waiting.flatMap(release),
      };
    },
  };
}

type TextPart = ModelPart & { type: "text" };

/** Returns a function that removes a repetition of `before`, and adds a notice if the text then differs. */
function withoutRepetition(before: string): (part: TextPart) => readonly ModelPart[] {
  /** Number of repeated characters; undefined if the attempt can no longer repeat earlier text. */
  let repeated: number | undefined = before === "" ? undefined : 0;
  return (part) => {
    if (repeated === undefined) return [part];
    if (before.startsWith(part.text, repeated)) {
      repeated += part.text.length;
      if (repeated === before.length) repeated = undefined;
      return part.signature === undefined ? [] : [{ ...part, text: "" }];
    }
    const said = before.slice(0, repeated) + part.text;
    repeated = undefined;
    if (said.startsWith(before)) return [{ ...part, text: said.slice(before.length) }];
    const common = commonLength(before, said);
    if (common < MIN_REPETITION_LENGTH) return [{ ...part, text: said }];
    return [
      { type: "notice", text: "the model started its reply again and continues differently" },
      { ...part, text: said.slice(common) },
    ];
  };
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}
