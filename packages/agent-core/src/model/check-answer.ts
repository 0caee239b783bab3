import { ModelError } from "./model.js";
import type { ModelPart } from "./model-part.js";
import { ModelFailure } from "./retry/model-failure.js";

/** How a vendor says that an answer ended, in our words. `reason` is the vendor's word. */
export type AnswerEnd =
  | { readonly type: "end"; readonly how: "whole" | "cut-off" }
  | {
      readonly type: "end";
      /** Refused on purpose, spoilt by a slip of the model, or something that we do not know. */
      readonly how: "refused" | "spoilt" | "unknown";
      readonly reason: string;
    };

/** How many tools one answer may ask for. */
const MAX_TOOL_REQUESTS = 1_000;

/**
 * Passes the parts on and judges the end: whoever reads an answer to its end has a whole one, was told
 * what is missing, or got an error that says why there is none.
 */
export async function* judgeAnswer(
  batches: AsyncIterable<readonly (ModelPart | AnswerEnd)[]>,
): AsyncGenerator<readonly ModelPart[]> {
  let isEmpty = true;
  let toolRequests = 0;
  let end: AnswerEnd | undefined;
  const take = (part: ModelPart | AnswerEnd): part is ModelPart => {
    if (part.type === "end") {
      end = part;
      return false;
    }
    if (part.type === "tool-request") toolRequests += 1;
    if (toolRequests > MAX_TOOL_REQUESTS) {
      throw new ModelError(`the model asked for more than ${MAX_TOOL_REQUESTS} tools at once`);
    }
    if (part.type === "tool-request" || (part.type === "text" && part.text !== "")) isEmpty = false;
    return true;
  };
  for await (const batch of batches) yield batch.filter(take);
  const failure = findFailure(end, isEmpty);
  if (failure !== undefined) throw failure;
  const notice = findNotice(end);
  if (notice !== undefined) yield [{ type: "notice", text: notice }];
}

function findFailure(end: AnswerEnd | undefined, isEmpty: boolean): ModelError | undefined {
  if (end === undefined) {
    return transient("the model's answer broke off before it was finished");
  }
  if (end.how === "refused") return new ModelError(`the model refused to go on: ${end.reason}`);
  if (end.how === "spoilt") return transient(`the model's answer cannot be used: ${end.reason}`);
  if (!isEmpty) return undefined;
  if (end.how === "cut-off") {
    return new ModelError("the model reached its longest answer before it said anything");
  }
  const reason = end.how === "unknown" ? `: ${end.reason}` : "";
  return transient(`the model gave an empty answer${reason}`);
}

function findNotice(end: AnswerEnd | undefined): string | undefined {
  if (end?.how === "cut-off") return "the model reached its longest answer; the rest is missing";
  if (end?.how === "unknown") return `the model stopped for a reason not known here: ${end.reason}`;
  return undefined;
}

function transient(message: string): ModelFailure {
  return new ModelFailure(message, { isTransient: true });
}
