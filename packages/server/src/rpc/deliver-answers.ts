import {
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

/** Passes answers to the agent, which alone decides; throws what tells a loser who won. (CLI-14) */
export async function deliverAnswers(answers: Answers): Promise<Settled> {
  const { host, confirmations, principal, messageId, taskId } = answers;
  if (confirmations.length > 1 && taskId !== undefined) await checkAllOpen(answers, taskId);
  const options = { messageId, ...(taskId !== undefined && { taskId }) };
  let settled: Settled | undefined;
  for (const confirmation of confirmations) {
    const { toolCallId } = confirmation;
    const verdict = await host.agent.answer(confirmation, principal, options);
    if (verdict.accepted) {
      settled ??= { taskId: verdict.taskId, turn: verdict.turn, after: verdict.seq - 1 };
    } else if (verdict.reason === "unknown") {
      throw new ProtocolError(
        "confirmation-not-found",
        `no question of the tool call ${toolCallId} is open`,
      );
    } else {
      const { answeredBy, selectedOptionId } = verdict;
      throw new ProtocolError(
        "confirmation-closed",
        `the question of the tool call ${toolCallId} was already answered by ${answeredBy.name || answeredBy.principal} with ${selectedOptionId}`,
        { data: { toolCallId, answeredBy, selectedOptionId } },
      );
    }
  }
  if (settled === undefined) {
    throw new ProtocolError("invalid-message", "message.parts: no answer given");
  }
  return settled;
}

// Several answers in one message count together: one that is not asked for spoils them all.
async function checkAllOpen({ host, confirmations }: Answers, taskId: string): Promise<void> {
  const open = openQuestions(await host.log.view(taskId)).map(({ toolCallId }) => toolCallId);
  const missing = confirmations.find(({ toolCallId }) => !open.includes(toolCallId));
  if (missing === undefined) return;
  throw new ProtocolError(
    "confirmation-not-found",
    `no question of the tool call ${missing.toolCallId} is open; none of the answers was taken`,
  );
}
