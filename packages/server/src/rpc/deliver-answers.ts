import {
  type AnswerVerdict,
  openQuestions,
  type Principal,
  ProtocolError,
  type ToolCallConfirmation,
} from "@dt/schema";
import type { SessionHost } from "../sessions/session-host.js";

/** Answers to questions of one session. */
export interface Answers {
  readonly host: SessionHost;
  readonly confirmations: readonly ToolCallConfirmation[];
  readonly principal: Principal;
  readonly messageId: string;
  /** The task that the client named; a question of another one is not its to answer. */
  readonly taskId?: string;
}

/** Where answers took effect: the turn, and the place before the first event that they caused. */
export interface Settled {
  readonly taskId: string;
  readonly turn: number;
  readonly after: number;
}

/**
 * Passes answers to the agent, which alone decides; throws what tells a loser who won. (CLI-14)
 *
 * Several answers of one message count together: all of them are under way before the first is
 * awaited, so that they are one commit and nobody comes in between.
 */
export async function deliverAnswers(answers: Answers): Promise<Settled> {
  const { host, confirmations, principal, messageId, taskId } = answers;
  checkDifferent(confirmations);
  if (confirmations.length > 1 && taskId !== undefined) await checkAllOpen(answers, taskId);
  const options = { messageId, ...(taskId !== undefined && { taskId }) };
  const verdicts = await Promise.all(
    confirmations.map((confirmation) => host.agent.answer(confirmation, principal, options)),
  );
  const taken = verdicts.filter((verdict) => verdict.accepted);
  for (const [index, verdict] of verdicts.entries()) {
    const { toolCallId = "" } = confirmations[index] ?? {};
    if (!verdict.accepted) throw refusalOf(verdict, toolCallId);
  }
  const [first] = taken;
  if (first === undefined) {
    throw new ProtocolError("invalid-message", "message.parts: no answer given");
  }
  const { turn, seq } = taken.reduce((before, verdict) =>
    verdict.seq < before.seq ? verdict : before,
  );
  return { taskId: first.taskId, turn, after: seq - 1 };
}

/** What tells whoever lost a question that somebody else has answered it. */
export function refusalOf(
  verdict: AnswerVerdict & { readonly accepted: false },
  toolCallId: string,
): ProtocolError {
  if (verdict.reason === "unknown") {
    return new ProtocolError(
      "confirmation-not-found",
      `no question of the tool call ${toolCallId} is open`,
    );
  }
  const { answeredBy, selectedOptionId } = verdict;
  return new ProtocolError(
    "confirmation-closed",
    `the question of the tool call ${toolCallId} was already answered by ${answeredBy.name || answeredBy.principal} with ${selectedOptionId}`,
    { data: { toolCallId, answeredBy, selectedOptionId } },
  );
}

function checkDifferent(confirmations: readonly ToolCallConfirmation[]): void {
  const ids = confirmations.map(({ toolCallId }) => toolCallId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice === undefined) return;
  throw new ProtocolError(
    "invalid-message",
    `message.parts: two answers to the question of the tool call ${twice}; none was taken`,
  );
}

// One that is not asked for, or is no choice, spoils them all.
async function checkAllOpen({ host, confirmations }: Answers, taskId: string): Promise<void> {
  const open = openQuestions(await host.log.view(taskId));
  for (const { toolCallId, selectedOptionId } of confirmations) {
    const question = open.find((call) => call.toolCallId === toolCallId);
    if (question === undefined) {
      throw new ProtocolError(
        "confirmation-not-found",
        `no question of the tool call ${toolCallId} is open; none of the answers was taken`,
      );
    }
    const offered = (question.confirmationRequest?.options ?? []).map(({ id }) => id);
    if (offered.includes(selectedOptionId)) continue;
    throw new ProtocolError(
      "invalid-message",
      `selected_option_id: the tool call ${toolCallId} has no option ${selectedOptionId}, only ${offered.join(", ")}; none of the answers was taken`,
    );
  }
}
