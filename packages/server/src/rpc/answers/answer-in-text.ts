import { openQuestions, textOf } from "@dt/schema";
import { decodePlainAnswer } from "@dt/schema/wire";
import type { Delivery } from "../messages/delivery.js";
import type { IncomingPrompt } from "../messages/incoming.js";
import type { RpcContext } from "../rpc-context.js";
import { admitToSession, findSession, getTaskInContext } from "../tasks/shared-session.js";
import { checkLateAnswer } from "./check-late-answer.js";
import { deliverAnswersToTask } from "./deliver-answers.js";

/**
 * Delivers the answer of a plain client. The answer is the id of an option, and may also contain the id of
 * the tool call. Other text never approves a call; the client gets the open question again. Returns undefined
 * if no question is open, or if the client is not plain. Throws if somebody has answered the question before.
 */
export async function answerInText(
  incoming: IncomingPrompt,
  context: RpcContext,
): Promise<Delivery | undefined> {
  if (!context.dialect.traits.answersInText) return undefined;
  const { contextId, content, push } = incoming;
  const taskId = incoming.taskId ?? (await findAskingTask(contextId, context));
  if (taskId === undefined) return undefined;
  const { host } = await getTaskInContext({ taskId, contextId }, context);
  const view = await host.log.view(taskId);
  const text = textOf(content.parts);
  const questions = openQuestions(view);
  if (questions.length === 0) {
    checkLateAnswer(text, view);
    return undefined;
  }
  const answer = decodePlainAnswer(text, questions);
  if (answer === undefined) {
    await push?.set({ host, taskId });
    return { type: "repeated-question", host, taskId };
  }
  const answering = { ...context, right: "answer" } as const;
  await admitToSession(host.session, answering);
  return await deliverAnswersToTask({ ...incoming, taskId }, [answer], answering);
}

// A message without a task id may answer an open question. Finds the task of this question. If the message were
// treated as a prompt, it would wait in the queue until somebody answers this question.
async function findAskingTask(
  contextId: string | undefined,
  context: RpcContext,
): Promise<string | undefined> {
  const { shared, tasks } = context;
  const live = await shared?.();
  if (live !== undefined && (contextId ?? live.host.log.contextId) === live.host.log.contextId) {
    return live.taskId;
  }
  if (contextId === undefined || tasks === undefined) return undefined;
  const owner = (await findSession(contextId, context))?.session.owner;
  if (owner === undefined) return undefined;
  const page = await tasks.listTasks({ owner, contextId, state: "input-required", limit: 1 });
  return page.tasks[0]?.taskId;
}
