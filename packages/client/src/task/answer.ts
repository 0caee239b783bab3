import {
  failAt,
  isObject,
  isProtocolError,
  OPTION_IDS,
  type QuestionAnswer,
  type ToolCall,
} from "@dt/schema";

/**
 * An answer to a question: the id of an option, content that replaces the proposed content, or a refusal
 * with its reason.
 */
export type Answer = string | { readonly newContent: string } | Refusal;

/** A refusal whose reason the model reads in the same turn, if the agent has our session extension. */
export interface Refusal {
  readonly reason: string;
  /** Id of the option that refuses. Default: `cancel`. */
  readonly optionId?: string;
}

/** Result of an answer. */
export type AnswerResult = { readonly accepted: true } | LostRace;

/** Another client answered first. */
export interface LostRace {
  readonly accepted: false;
  /**
   * Sender of the first answer. `name` is to be shown to people; `principal` is the id of the user at the
   * agent.
   */
  readonly answeredBy: { readonly principal: string; readonly name: string };
  /** Id of the option that was chosen. */
  readonly selectedOptionId: string;
}

/**
 * Result of several answers. If one of them came too late, the agent may have accepted or ignored the other
 * answers of the same message.
 */
export type AnswersResult =
  | { readonly accepted: true }
  | (LostRace & {
      /** Id of the call whose question another client answered. */
      readonly toolCallId: string;
    });

/** An answer to one of several questions. */
export interface AnswerTo {
  /** The call that asks. */
  readonly toolCall: Pick<ToolCall, "toolCallId">;
  readonly answer: Answer;
}

/** Converts an answer to the extension's message. */
export function toConfirmation({ toolCall, answer }: AnswerTo): QuestionAnswer {
  const { toolCallId } = toolCall;
  if (typeof answer === "string") {
    return { toolCallId, selectedOptionId: answer, modifiedDetails: undefined };
  }
  // A JavaScript program may pass any value. A wrong value must not approve the call.
  const {
    newContent,
    reason,
    optionId = OPTION_IDS.cancel,
  } = { ...answer } as Partial<Refusal> & {
    readonly newContent?: string;
  };
  if (typeof reason === "string" && newContent === undefined) {
    return { toolCallId, selectedOptionId: optionId, modifiedDetails: undefined, reason };
  }
  if (typeof newContent !== "string" || reason !== undefined) {
    failAt("answer", "expected an option's id, { newContent } or { reason }");
  }
  return {
    toolCallId,
    selectedOptionId: OPTION_IDS.proceedOnce,
    modifiedDetails: { $case: "fileDetails", value: { newContent } },
  };
}

/**
 * Finds the answer of another client in an agent's refusal; undefined if the refusal has another
 * reason.
 */
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
