import { isTerminalState, ProtocolError } from "@dt/schema";
import {
  isTaskUnknown,
  type OpenedDelivery,
  type TurnDelivery,
  toTurnDelivery,
} from "../messages/delivery.js";
import type { IncomingPrompt } from "../messages/incoming.js";
import { withPush } from "../messages/message-push.js";
import { withDialect } from "../messages/with-dialect.js";
import type { RpcContext } from "../rpc-context.js";
import { findPromptTarget, type PromptTarget } from "./find-prompt-target.js";
import { openEmptyTask } from "./open-empty-task.js";

/** Delivers a prompt to the session that it belongs to, which may be a new one. */
export async function deliverPrompt(
  incoming: IncomingPrompt,
  context: RpcContext,
): Promise<TurnDelivery | OpenedDelivery> {
  const target = await findPromptTarget(incoming, context);
  if (incoming.content.parts.length === 0) return await openEmptyTask(target, incoming, context);
  try {
    return await promptTarget(target, incoming, context);
  } catch (reason) {
    if (!hasEndedMeanwhile(reason, target)) throw reason;
    // The task ended meanwhile. The second search finds its new state, and decides whether the task may continue.
    return await promptTarget(await findPromptTarget(incoming, context), incoming, context);
  }
}

function hasEndedMeanwhile(reason: unknown, { taskState }: PromptTarget): boolean {
  const isRefused = reason instanceof ProtocolError && reason.code === "unsupported-operation";
  return isRefused && taskState !== undefined && !isTerminalState(taskState);
}

/** Delivers a prompt to a session that was found. */
export async function promptTarget(
  target: PromptTarget,
  incoming: IncomingPrompt,
  context: RpcContext,
): Promise<TurnDelivery> {
  const { messageId, digest, push, content: prompt } = incoming;
  const { host, taskId = context.createId() } = target;
  const request = {
    messageId,
    taskId,
    parts: prompt.parts,
    digest,
    ...(prompt.callDepth !== undefined && { callDepth: prompt.callDepth }),
    // In a shared session, the mode of a client applies only to this prompt. (CLI-18)
    ...(prompt.settings?.autoExecute === true &&
      (context.shared === undefined ? { taskMode: "yolo" as const } : { mode: "yolo" as const })),
    ...(target.taskState !== undefined && { taskState: target.taskState }),
  };
  const { dialect, caller } = context;
  const send = prompt.steer === true ? host.agent.steer : host.agent.prompt;
  const deliver = () =>
    withDialect({ log: host.log, taskId, dialect }, () => send(request, caller));
  const isNewTask = isTaskUnknown(incoming, context);
  if (prompt.steer === true && target.taskId === undefined) {
    // Only the agent knows which task the message joins, so the config is set afterwards.
    const delivery = toTurnDelivery(incoming, host, { ...(await deliver()), isNewTask });
    await push?.add(delivery);
    return delivery;
  }
  const ticket = await withPush(push, { host, taskId, messageId }, deliver);
  return toTurnDelivery(incoming, host, { ...ticket, isNewTask });
}
