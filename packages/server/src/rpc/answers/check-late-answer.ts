import { type ConfirmationAnswer, OPTION_IDS, type TaskView } from "@dt/schema";
import { refusalOf } from "./deliver-answers.js";

const OPTIONS: readonly string[] = Object.values(OPTION_IDS);

/**
 * Throws if the message of a plain client is a late answer: it answers a question of the last turn, but
 * somebody has answered this question before. Without this check, the message would reach the model as a
 * prompt. The error names the sender of the first answer. (CLI-14)
 */
export function checkLateAnswer(text: string, view: TaskView): void {
  const [optionId = "", toolCallId, ...rest] = text.trim().split(/\s+/);
  if (!OPTIONS.includes(optionId) || rest.length > 0) return;
  const answers = answersOfLastTurn(view);
  const answer = answers.findLast((each) => each.toolCallId === (toolCallId ?? each.toolCallId));
  if (answer?.origin === undefined) return;
  const { origin: answeredBy, selectedOptionId } = answer;
  const verdict = { accepted: false, reason: "closed", answeredBy, selectedOptionId } as const;
  throw refusalOf(verdict, answer.toolCallId);
}

function answersOfLastTurn({ items }: TaskView): readonly ConfirmationAnswer[] {
  const start = items.findLastIndex(({ event }) => event.kind === "USER_PROMPT");
  return items
    .slice(start + 1)
    .flatMap(({ event }) => (event.kind === "TOOL_CALL_UPDATE" ? (event.answer ?? []) : []));
}
