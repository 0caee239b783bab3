import {
  type AnswerVerdict,
  type Caller,
  failAt,
  openQuestions,
  ProtocolError,
  type TaskView,
  type Ticket,
  type ToolCallConfirmation,
} from "@dt/schema";
import type { SessionHost } from "../../sessions/session-host.js";
import { type TurnDelivery, toTurnDelivery } from "../messages/delivery.js";
import type { Incoming } from "../messages/incoming.js";
import { withPush } from "../messages/message-push.js";
import type { RpcContext } from "../rpc-context.js";
import { getTaskInContext } from "../tasks/shared-session.js";

/** Answers to questions of one session. */
export interface Answers {
  readonly host: SessionHost;
  readonly confirmations: readonly ToolCallConfirmation[];
  readonly caller: Caller;
  readonly messageId: string;
  /** Digest of the message's content. */
  readonly digest: string;
  /** The task that the client named. Only its questions are answered. */
  readonly taskId?: string;
}

type RefusedAnswer = AnswerVerdict & { readonly accepted: false };

/**
 * Passes answers to the agent, which accepts or refuses them. If another client has answered first, the error names
 * that client. (CLI-14)
 *
 * All answers of one message are one commit, so that no other answer is accepted between them.
 */
export async function deliverAnswers(answers: Answers): Promise<Ticket> {
  const { host, confirmations, caller, messageId, digest, taskId } = answers;
  checkDifferent(confirmations);
  if (confirmations.length > 1 && taskId !== undefined) await checkAllOpen(answers, taskId);
  const request = {
    answers: confirmations,
    messageId,
    digest,
    ...(taskId !== undefined && { taskId }),
  };
  const verdicts = await host.agent.answer(request, caller);
  const tickets = verdicts.flatMap((verdict) => (verdict.accepted ? [verdict.ticket] : []));
  for (const [index, verdict] of verdicts.entries()) {
    const { toolCallId = "" } = confirmations[index] ?? {};
    if (!verdict.accepted) throw refusalOf(verdict, toolCallId);
  }
  const [first] = tickets.toSorted((one, other) => one.afterPosition - other.afterPosition);
  if (first === undefined) {
    failAt("message.parts", "expected an answer to a question");
  }
  return first;
}

/** Delivers answers to the questions of one task, with the push config of their message. */
export async function deliverAnswersToTask(
  incoming: Incoming,
  confirmations: readonly ToolCallConfirmation[],
  context: RpcContext,
): Promise<TurnDelivery> {
  const { messageId, taskId, contextId, digest, push } = incoming;
  const { caller } = context;
  if (taskId === undefined) {
    failAt("message.taskId", "an answer must name the task that asked");
  }
  const { host } = await getTaskInContext({ taskId, contextId }, context);
  const ticket = await withPush(push, { host, taskId, messageId }, () =>
    deliverAnswers({ host, confirmations, caller, messageId, digest, taskId }),
  );
  return toTurnDelivery(incoming, host, { ...ticket, isNewTask: false });
}

/** Creates the error for an answer that was not accepted. */
export function refusalOf(verdict: RefusedAnswer, toolCallId: string): ProtocolError {
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
  const seen = new Set<string>();
  for (const { toolCallId } of confirmations) {
    if (seen.has(toolCallId)) {
      failAt(
        "message.parts",
        `two answers to the question of the tool call ${toolCallId}; none was accepted`,
      );
    }
    seen.add(toolCallId);
  }
}

// Throws if one of the answers is invalid or late. In that case, no answer is accepted.
async function checkAllOpen({ host, confirmations }: Answers, taskId: string): Promise<void> {
  const view = await host.log.view(taskId);
  const open = openQuestions(view);
  for (const { toolCallId, selectedOptionId } of confirmations) {
    const question = open.find((call) => call.toolCallId === toolCallId);
    if (question === undefined) {
      const { code, message, data } = refusalOf(lateVerdict(toolCallId, view), toolCallId);
      const options = data === undefined ? {} : { data };
      throw new ProtocolError(code, `${message}; none of the answers was accepted`, options);
    }
    const offered = (question.confirmationRequest?.options ?? []).map(({ id }) => id);
    if (offered.includes(selectedOptionId)) continue;
    failAt(
      "selected_option_id",
      `the tool call ${toolCallId} has no option ${selectedOptionId}, only ${offered.join(", ")}; none of the answers was accepted`,
    );
  }
}

// Returns the verdict for an answer to a question that is not open, as far as the view has its answer.
function lateVerdict(toolCallId: string, { items }: TaskView): RefusedAnswer {
  const answers = items.map(({ event }) =>
    event.kind === "TOOL_CALL_UPDATE" ? event.answer : undefined,
  );
  const answer = answers.findLast((each) => each?.toolCallId === toolCallId);
  if (answer?.origin === undefined) return { accepted: false, reason: "unknown" };
  const { origin: answeredBy, selectedOptionId } = answer;
  return { accepted: false, reason: "closed", answeredBy, selectedOptionId };
}
