import { checkClientSettings, isProtocolError, ProtocolError } from "@dt/schema";
import type { ClientMessage, Dialect, ReceivedMessage } from "@dt/schema/wire";
import { checkRole, type Right } from "../../access/auth/role-table.js";
import { answerInText } from "../answers/answer-in-text.js";
import { deliverAnswers, deliverAnswersToTask } from "../answers/deliver-answers.js";
import { checkRequiredExtension } from "../extension-required.js";
import { deliverPrompt, promptTarget } from "../prompts/deliver-prompt.js";
import type { RpcContext } from "../rpc-context.js";
import type { SharedSession } from "../tasks/shared-session.js";
import { checkIds } from "./check-ids.js";
import { checkInputModes } from "./check-input-modes.js";
import { digestContent, repeatedId } from "./content-digest.js";
import { type Delivery, type DeliveryContext, toTurnDelivery } from "./delivery.js";
import { findEarlierDelivery } from "./find-earlier-delivery.js";
import type { Incoming } from "./incoming.js";
import { parseMessagePush } from "./message-push.js";

/**
 * Delivers a client's message to its session, in any dialect. A prompt starts or queues a turn; an answer closes a
 * question. A message that was delivered before, or is being delivered, is not delivered again. (LOG-05)
 */
export async function deliverMessage(
  received: ReceivedMessage,
  context: DeliveryContext,
): Promise<Delivery> {
  const right = rightOf(received.content);
  checkRole(context.caller, right);
  if (received.content.type === "prompt") {
    checkClientSettings(context.policy ?? {}, received.content.settings ?? {});
  }
  return await deliver(received, { ...context, right });
}

/** Returns the right that a message needs. */
function rightOf(content: ClientMessage): Right {
  if (content.type === "confirmation") return "answer";
  return content.settings?.autoExecute === true ? "auto-execute" : "send";
}

async function deliver(received: ReceivedMessage, context: DeliveryContext): Promise<Delivery> {
  const { dialect } = context;
  checkRequiredExtension(context);
  const { messageId = context.createId(), taskId, content } = received;
  checkIds({ messageId, taskId, contextId: received.contextId });
  // On a live endpoint, the context id of a client is ignored, because all clients share one session.
  const contextId = context.shared === undefined ? received.contextId : undefined;
  if (content.type === "prompt") checkInputModes(content.parts, context.inputModes);
  const push = received.push && parseMessagePush(received.push, context);
  // If a message arrives again while it is being delivered, the second request waits for this delivery.
  const key = JSON.stringify([context.caller.user, messageId]);
  const digest = digestContent(content);
  let isFirst = false;
  const delivery = await context.inFlight.share(key, () => {
    isFirst = true;
    const incoming = { messageId, taskId, contextId, content, digest, push };
    return deliverOnce(incoming, context).catch((reason: unknown) =>
      findDeliveryElsewhere(reason, incoming, context),
    );
  });
  if (isOther(delivery, digest, dialect)) throw repeatedId(messageId);
  if (!isFirst) await push?.add(delivery);
  return delivery;
}

/** Returns true if the delivery belongs to a message with the same id but other content. */
function isOther(delivery: Delivery, digest: string, { traits }: Dialect): boolean {
  if (delivery.type === "turn") return delivery.digest !== digest;
  return delivery.type === "repeated-question" && !traits.answersInText;
}

async function deliverOnce(incoming: Incoming, context: DeliveryContext): Promise<Delivery> {
  const { content, push } = incoming;
  const earlier = await findEarlierDelivery(incoming, context);
  if (earlier !== undefined) {
    await push?.add(earlier);
    return earlier;
  }
  if (content.type === "prompt") await context.rates?.countPrompt(context.caller.user);
  if (context.dialect.traits.hasOneTask) return await deliverToOneTask(incoming, context);
  if (content.type === "confirmation") {
    const taskId = incoming.taskId ?? (await context.shared?.())?.taskId;
    return await deliverAnswersToTask({ ...incoming, taskId }, content.confirmations, context);
  }
  const prompt = { ...incoming, content };
  return (await answerInText(prompt, context)) ?? (await deliverPrompt(prompt, context));
}

/**
 * Finds the delivery of a message that another instance has accepted meanwhile. Throws `reason` if there is no
 * delivery.
 */
async function findDeliveryElsewhere(
  reason: unknown,
  incoming: Incoming,
  context: DeliveryContext,
): Promise<Delivery> {
  if (!isProtocolError(reason) || reason.code !== "agent-busy") throw reason;
  const delivery = await findEarlierDelivery(incoming, context);
  if (delivery === undefined) throw reason;
  await incoming.push?.add(delivery);
  return delivery;
}

/** Delivers a message in a dialect whose clients know only one session with one task. */
async function deliverToOneTask(incoming: Incoming, context: DeliveryContext): Promise<Delivery> {
  const { messageId, digest, content } = incoming;
  const session = await (context.findSession ?? findShared(context))(content.type);
  const { host, taskId } = session;
  if ((incoming.taskId ?? taskId) !== taskId) {
    throw new ProtocolError("task-not-found", `there is no task ${incoming.taskId}`);
  }
  if (content.type === "prompt") {
    return await promptTarget(session, { ...incoming, content }, context);
  }
  const { confirmations } = content;
  // The answers name no task, because the question may belong to a command, which runs in another task.
  const answers = { host, confirmations, caller: context.caller, messageId, digest };
  const ticket = await deliverAnswers(answers);
  return toTurnDelivery(incoming, host, { ...ticket, isNewTask: false });
}

function findShared({ shared }: RpcContext): () => Promise<SharedSession> {
  return async () => {
    const session = await shared?.();
    if (session !== undefined) return session;
    throw new ProtocolError("unsupported-operation", "no session is shared here");
  };
}
