import {
  isTerminalState,
  openQuestions,
  ProtocolError,
  type Ticket,
  type ToolCallConfirmation,
  textOf,
} from "@dt/schema";
import {
  type A2aMessage,
  type ClientMessage,
  decodeClientMessage,
  decodePlainAnswer,
  type SendParams,
} from "@dt/schema/wire";
import type { SessionHost } from "../../sessions/session-host.js";
import type { StoredReceipt } from "../../store/session-store.js";
import { extensionRequired } from "../extension-required.js";
import type { RpcContext } from "../rpc-context.js";
import { getTask, getTaskOf } from "../tasks/shared-session.js";
import { checkIds } from "./check-ids.js";
import { checkLate } from "./check-late.js";
import { checkRepeated } from "./check-repeated.js";
import { digestContent, repeatedId } from "./content-digest.js";
import { deliverAnswers } from "./deliver-answers.js";
import { findPlace, type Place } from "./find-place.js";
import { type MessagePush, parseMessagePush, withPush } from "./message-push.js";

/** What became of a message: it has a turn, or a plain client is asked its question again. */
export type Delivery =
  | TurnDelivery
  | { readonly type: "repeated-question"; readonly host: SessionHost; readonly taskId: string };

/** A message that was taken: where it went, and the turn that it belongs to. */
export interface TurnDelivery extends Ticket {
  readonly type: "turn";
  readonly host: SessionHost;
  readonly messageId: string;
  /** How far whoever sends it again has heard of it. */
  readonly heard?: number;
  /** Whether the task is news to whoever sent the message: it named none. */
  readonly isNewTask: boolean;
  /** Digest of the message's content. */
  readonly digest: string;
}

/**
 * Brings a client's message to its session: a prompt starts or queues a turn, an answer settles a
 * question. A message that was taken before is not taken again. (LOG-05)
 */
export async function deliverMessage(
  { message, pushConfig }: SendParams,
  context: RpcContext,
): Promise<Delivery> {
  const content = decodeClientMessage(message, context.activation.uris);
  if (context.isExtensionRequired && !context.activation.developmentTool) {
    throw extensionRequired(context.activation.uris);
  }
  checkIds(message);
  const push = pushConfig && parseMessagePush(pushConfig, context);
  // Two of the same message at once are one too: the second waits for what becomes of the first.
  const key = JSON.stringify([context.caller.user, message.messageId]);
  const digest = digestContent(content);
  let isFirst = false;
  const delivery = await context.inFlight.share(key, () => {
    isFirst = true;
    return deliverOnce({ message, content, digest, push }, context);
  });
  if (delivery.type === "turn" && delivery.digest !== digest) throw repeatedId(message.messageId);
  if (!isFirst) await push?.add(delivery);
  return delivery;
}

/** A message, what it says, and whom to call about it. */
interface Incoming<TContent extends ClientMessage = ClientMessage> {
  readonly message: A2aMessage;
  readonly content: TContent;
  readonly digest: string;
  readonly push: MessagePush | undefined;
}

async function deliverOnce(incoming: Incoming, context: RpcContext): Promise<Delivery> {
  const { message, content, digest, push } = incoming;
  const repeated = await findDelivery(message, digest, context);
  if (repeated !== undefined) {
    await push?.add(repeated);
    return repeated;
  }
  if (content.type === "confirmation") {
    const taskId = message.taskId ?? (await context.shared?.())?.taskId;
    return await settle({ ...message, taskId, digest, push }, content.confirmations, context);
  }
  return (
    (await answerPlainly(incoming, context)) ??
    (await deliverPrompt({ message, content, digest, push }, context))
  );
}

async function findDelivery(
  message: A2aMessage,
  digest: string,
  context: RpcContext,
): Promise<Delivery | undefined> {
  const { messageId } = message;
  const receipt = await context.sessions.findReceipt(context.caller, messageId);
  if (receipt === undefined || (await isElsewhere(receipt, context))) return undefined;
  const { taskId, turn, afterPosition } = receipt;
  const { host } = await getTask(taskId, context);
  await checkRepeated(message, digest, { receipt, log: host.log });
  // Only a message that is sent again can have been heard before: its cursor says how far.
  const heard = context.after === undefined ? undefined : await host.log.locate(context.after);
  const isNewTask = message.taskId === undefined && heard === undefined;
  const delivery = {
    type: "turn",
    host,
    taskId,
    messageId,
    turn,
    afterPosition,
    isNewTask,
    digest,
  } as const;
  return heard === undefined ? delivery : { ...delivery, heard };
}

/** Whether a receipt is of another session than the one that a live endpoint serves. */
export async function isElsewhere(
  { contextId }: StoredReceipt,
  { shared }: Pick<RpcContext, "shared">,
): Promise<boolean> {
  const live = await shared?.();
  return live !== undefined && live.host.session.contextId !== contextId;
}

interface AnswerAddress {
  readonly messageId: string;
  readonly taskId: string | undefined;
  readonly contextId?: string;
  readonly digest: string;
  readonly push: MessagePush | undefined;
}

async function settle(
  { messageId, taskId, contextId, digest, push }: AnswerAddress,
  confirmations: readonly ToolCallConfirmation[],
  context: RpcContext,
): Promise<Delivery> {
  const { caller } = context;
  if (taskId === undefined) {
    throw new ProtocolError(
      "invalid-message",
      "message.taskId: an answer must name the task that asked",
    );
  }
  const { host } = await getTaskOf(
    { taskId, ...(contextId !== undefined && { contextId }) },
    context,
  );
  const settled = await withPush(push, { host, taskId, messageId }, () =>
    deliverAnswers({ host, confirmations, caller, messageId, digest, taskId }),
  );
  return { type: "turn", host, messageId, isNewTask: false, digest, ...settled };
}

/**
 * A client without the extension answers with a whole message that is an option's id. While a
 * question is open, anything else repeats it and never approves. (DESIGN 3.18)
 */
async function answerPlainly(
  { message, digest, push }: Incoming,
  context: RpcContext,
): Promise<Delivery | undefined> {
  if (context.activation.developmentTool) return undefined;
  const { messageId, contextId } = message;
  const taskId = message.taskId ?? (await findWaitingTask(contextId, context));
  if (taskId === undefined) return undefined;
  const { host } = await getTaskOf(
    { taskId, ...(contextId !== undefined && { contextId }) },
    context,
  );
  const view = await host.log.view(taskId);
  const text = textOf(message.parts);
  const questions = openQuestions(view);
  if (questions.length === 0) {
    checkLate(text, view);
    return undefined;
  }
  const answer = decodePlainAnswer(text, questions);
  if (answer === undefined) {
    await push?.set({ host, taskId });
    return { type: "repeated-question", host, taskId };
  }
  return await settle({ messageId, taskId, digest, push }, [answer], context);
}

// A prompt would wait for the answer, and whoever sent it would wait for itself.
async function findWaitingTask(
  contextId: string | undefined,
  { shared, tasks, caller }: RpcContext,
): Promise<string | undefined> {
  const live = await shared?.();
  if (live !== undefined && (contextId ?? live.host.log.contextId) === live.host.log.contextId) {
    return live.taskId;
  }
  if (contextId === undefined || tasks === undefined) return undefined;
  const owner = caller.user;
  const page = await tasks.listTasks({ owner, contextId, state: "input-required", limit: 1 });
  return page.tasks[0]?.taskId;
}

type IncomingPrompt = Incoming<ClientMessage & { readonly type: "prompt" }>;

async function deliverPrompt(incoming: IncomingPrompt, context: RpcContext): Promise<Delivery> {
  const { message, content } = incoming;
  const place = await findPlace(message, content, context);
  try {
    return await promptAt(place, incoming, context);
  } catch (reason) {
    if (!isEndedSince(reason, place)) throw reason;
    return await promptAt(await findPlace(message, content, context), incoming, context);
  }
}

// The task ended between the look and the prompt: another look tells whether this client may go on.
function isEndedSince(reason: unknown, { taskState }: Place): boolean {
  const isRefused = reason instanceof ProtocolError && reason.code === "unsupported-operation";
  return isRefused && taskState !== undefined && !isTerminalState(taskState);
}

async function promptAt(
  place: Place,
  { message, content: prompt, digest, push }: IncomingPrompt,
  context: RpcContext,
): Promise<Delivery> {
  const { messageId } = message;
  const { host, taskId = context.createId() } = place;
  const ticket = await withPush(push, { host, taskId, messageId }, async () => {
    return await host.agent.prompt(
      {
        messageId,
        taskId,
        parts: prompt.parts,
        digest,
        // In a session that everyone shares, a client's own mode covers this prompt alone. (CLI-18)
        ...(prompt.settings?.autoExecute === true &&
          (context.shared === undefined ? { taskMode: "yolo" } : { mode: "yolo" })),
        ...(place.taskState !== undefined && { taskState: place.taskState }),
      },
      context.caller,
    );
  });
  const isNewTask = message.taskId === undefined;
  return { type: "turn", host, messageId, isNewTask, digest, ...ticket };
}
