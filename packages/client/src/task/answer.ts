import {
  isObject,
  isProtocolError,
  optionIds,
  ProtocolError,
  type ToolCall,
  type ToolCallConfirmation,
} from "@dt/schema";

/** An option's id, or the content that the user wants instead of what was proposed. */
export type Answer = string | { readonly newContent: string };

/** How an answer was received. */
export type AnswerResult = { readonly accepted: true } | LostRace;

/** Someone else answered first. */
export interface LostRace {
  readonly accepted: false;
  /** Who it was: `name` is for people, `principal` is whom the agent knows. */
  readonly answeredBy: { readonly principal: string; readonly name: string };
  /** With what: the id of the option that was chosen. */
  readonly selectedOptionId: string;
}

/** How several answers were received: all of them, or none after the one that lost. */
export type AnswersResult =
  | { readonly accepted: true }
  | (LostRace & {
      /** The question that someone else answered. */
      readonly toolCallId: string;
    });

/** An answer to one of several questions. */
export interface AnswerTo {
  /** The call that asks. */
  readonly toolCall: Pick<ToolCall, "toolCallId">;
  readonly answer: Answer;
}

/** An answer as the extension spells it. */
export function toConfirmation({ toolCall, answer }: AnswerTo): ToolCallConfirmation {
  const { toolCallId } = toolCall;
  if (typeof answer === "string") {
    return { toolCallId, selectedOptionId: answer, modifiedDetails: undefined };
  }
  // A program without types may say `false`, which must not allow anything.
  if (typeof answer?.newContent !== "string") {
    throw new ProtocolError("invalid-message", "answer: expected an option's id or { newContent }");
  }
  return {
    toolCallId,
    selectedOptionId: optionIds.proceedOnce,
    modifiedDetails: { $case: "fileDetails", value: { newContent: answer.newContent } },
  };
}

/** What an agent's refusal says about who was first; undefined where it is about something else. */
export function findLostRace(
  reason: unknown,
): (LostRace & { readonly toolCallId: string }) | undefined {
  if (!isProtocolError(reason) || reason.code !== "confirmation-closed") return undefined;
  const { answeredBy, selectedOptionId, toolCallId } = reason.data ?? {};
  const { principal, name } = isObject(answeredBy) ? answeredBy : {};
  return {
    accepted: false,
    answeredBy: { principal: String(principal ?? ""), name: String(name ?? "") },
    selectedOptionId: String(selectedOptionId ?? ""),
    toolCallId: String(toolCallId ?? ""),
  };
}
