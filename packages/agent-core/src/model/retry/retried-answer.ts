import type { ModelPart } from "../model-part.js";

/** A beginning that two tries share is no accident from this length on. */
const leastRepetition = 16;

/** What observers have seen of one answer, over all its tries. */
export interface AnswerSoFar {
  /** The text that was shown. */
  readonly text: string;
  /** Begins a try; what it says goes through `take`, and `finish` gives what waited for its end. */
  openTry(): AnswerTry;
}

/** One try at an answer. */
export interface AnswerTry {
  take(part: ModelPart): readonly ModelPart[];
  finish(): readonly ModelPart[];
}

/**
 * Lets through what is new.
 *
 * A tool request, and all that follows it, waits for the end of its try: half an answer asks for
 * nothing, so any try can be followed by another. Text that repeats what an earlier try said is
 * swallowed; so are thoughts and citations that were shown before.
 */
export function createAnswerSoFar(): AnswerSoFar {
  let text = "";
  const shown = new Set<string>();

  const show = (part: ModelPart): readonly ModelPart[] => {
    if (part.type === "text") text += part.text;
    if (part.type !== "thought" && part.type !== "citation") return [part];
    const key = JSON.stringify(part);
    if (shown.has(key)) return [];
    shown.add(key);
    return [part];
  };

  return {
    get text() {
      return text;
    },
    openTry() {
      const takeText = withoutRepetition(text);
      const waiting: ModelPart[] = [];
      const release = (part: ModelPart) =>
        (part.type === "text" ? takeText(part) : [part]).flatMap(show);
      return {
        take(part) {
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

/** Swallows a beginning that repeats `before`; a restart that then says something else is announced. */
function withoutRepetition(before: string): (part: TextPart) => readonly ModelPart[] {
  /** How much of `before` was said again; undefined once the try says something new. */
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
    if (common < leastRepetition) return [{ ...part, text: said }];
    return [
      { type: "notice", text: "the model began its answer again and now goes on differently" },
      { ...part, text: said.slice(common) },
    ];
  };
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}
