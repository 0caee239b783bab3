import { ModelError } from "./model.js";
import type { ModelPart } from "./model-part.js";
import { ModelFailure } from "./retry/model-failure.js";

/**
 * The end of a reply, in one form for all vendors. A reply is `cut-off` if it reached the output limit.
 * `reason` contains the vendor's own text.
 */
export type ReplyEnd =
  | { readonly type: "end"; readonly how: "whole" | "cut-off" }
  | {
      readonly type: "end";
      /** The model refused, the model made a mistake, or the vendor gave a reason that dt does not know. */
      readonly how: "refused" | "invalid" | "unknown";
      readonly reason: string;
    };

/** Maximum number of tool calls that one reply may request. */
const MAX_TOOL_REQUESTS = 1_000;

/**
 * Passes on the parts of a reply and checks its end. Throws {@link ModelError} if the reply has no end, is
 * refused, invalid or empty, or requests too many tool calls. Adds a notice if the reply was cut off or
 * stopped for an unknown reason.
 */
export async function* checkReply(
  batches: AsyncIterable<readonly (ModelPart | ReplyEnd)[]>,
): AsyncGenerator<readonly ModelPart[]> {
  let isEmpty = true;
  let toolRequests = 0;
  let end: ReplyEnd | undefined;
  const inspect = (part: ModelPart | ReplyEnd): part is ModelPart => {
    if (part.type === "end") {
      end = part;
      return false;
    }
    if (part.type === "tool-request") toolRequests += 1;
    if (toolRequests > MAX_TOOL_REQUESTS) {
      throw new ModelError(
        `the model asked for more than ${MAX_TOOL_REQUESTS} tool calls in one reply`,
      );
    }
    if (part.type === "text" ? part.text !== "" : isContent(part)) isEmpty = false;
    return true;
  };
  for await (const batch of batches) yield batch.filter(inspect);
  const failure = findFailure(end, isEmpty);
  if (failure !== undefined) throw failure;
  const notice = findNotice(end);
  if (notice !== undefined) yield [{ type: "notice", text: notice }];
}

function isContent({ type }: ModelPart): boolean {
  return type === "tool-request" || type === "file";
}

function findFailure(end: ReplyEnd | undefined, isEmpty: boolean): ModelError | undefined {
  if (end === undefined) {
    return transientFailure("the model's reply broke off before its end");
  }
  if (end.how === "refused") return new ModelError(`the model refused to continue: ${end.reason}`);
  if (end.how === "invalid")
    return transientFailure(`the model's reply cannot be used: ${end.reason}`);
  if (!isEmpty) return undefined;
  if (end.how === "cut-off") {
    return new ModelError("the model reached its output limit before it answered");
  }
  const reason = end.how === "unknown" ? `: ${end.reason}` : "";
  return transientFailure(`the model gave an empty reply${reason}`);
}

function findNotice(end: ReplyEnd | undefined): string | undefined {
  if (end?.how === "cut-off")
    return "the model reached its output limit; the rest of the reply is missing";
  if (end?.how === "unknown") return `the model stopped for an unknown reason: ${end.reason}`;
  return undefined;
}

function transientFailure(message: string): ModelFailure {
  return new ModelFailure(message, { isTransient: true });
}
