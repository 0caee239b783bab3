import {
  isTerminalState,
  openQuestions,
  ProtocolError,
  type Ticket,
  type ToolCallConfirmation,
  textOf,
} from "@dt/schema";
import { type ClientMessage, decodePlainAnswer, type ReceivedMessage } from "@dt/schema/wire";
import type { SessionHost } from "../../sessions/session-host.js";
import type { StoredReceipt } from "../../store/session-store.js";
import { extensionRequired } from "../extension-required.js";
import type { RpcContext } from "../rpc-context.js";
import { getTask, getTaskOf, type SharedSession } from "../tasks/shared-session.js";
import { checkIds } from "./check-ids.js";
import { checkLate } from "../answers/check-late.js";
import { checkRepeated } from "./check-repeated.js";
import { digestContent, repeatedId } from "./content-digest.js";
import { deliverAnswers } from "../answers/deliver-answers.js";
import { findPlace, type Place } from "../prompts/find-prompt-target.js";
import type { Incoming, IncomingPrompt } from "./incoming.js";
import { parseMessagePush, withPush } from "./message-push.js";
import { withDialect } from "./with-dialect.js";

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

/** The context of a delivery. */
export interface DeliveryContext extends RpcContext {
  /**
   * Finds the one session of a client that knows only one; a prompt may create it, an answer may not. Default: the
   * session that the endpoint shares.
   */
  findSession?(type: ClientMessage["type"]): Promise<SharedSession>;
}

/**
 * Delivers a client's message to its session, whatever its dialect: a prompt starts or queues a turn, an answer
 * settles a question. A message that was taken before, or is being taken, is not taken again. (LOG-05)
 */
export async function deliverMessage(
  received: ReceivedMessage,
  context: DeliveryContext,
): Promise<Delivery> {
  const { dialect, isExtensionRequired, activation } = context;
  if (isExtensionRequired && !dialect.traits.meetsRequiredExtension) {
    throw extensionRequired(activation.uris);
  }
  const { messageId = context.createId(), taskId, contextId, content } = received;
  checkIds({ messageId, taskId, contextId });
  const push = received.push && parseMessagePush(received.push, context);
  // Two of the same message at once are one too: the second waits for the delivery of the first.
  const key = JSON.stringify([context.caller.user, messageId]);
  const digest = digestContent(content);
  let isFirst = false;
  const delivery = await context.inFlight.share(key, () => {
    isFirst = true;
    return deliverOnce({ messageId, taskId, contextId, content, digest, push }, context);
  });
  const isOther =
    delivery.type === "turn" ? delivery.digest !== digest : !dialect.traits.answersInText;
  if (isOther) throw repeatedId(messageId);
  if (!isFirst) await push?.add(delivery);
  return delivery;
}

async function deliverOnce(incoming: Incoming, context: DeliveryContext): Promise<Delivery> {
  const { content, push } = incoming;
  const repeated = await findDelivery(incoming, context);
  if (repeated !== undefined) {
    await push?.add(repeated);
    return repeated;
  }
  if (context.dialect.traits.hasOneTask) return await deliverToOneTask(incoming, context);
  if (content.type === "confirmation") {
    const taskId = incoming.taskId ?? (await context.shared?.())?.taskId;
    return await settle({ ...incoming, taskId }, content.confirmations, context);
  }
  const prompt = { ...incoming, content };
  return (await answerPlainly(prompt, context)) ?? (await deliverPrompt(prompt, context));
}

/** Delivers to the one session that the client knows, to its one task. */
async function deliverToOneTask(incoming: Incoming, context: DeliveryContext): Promise<Delivery> {
  const { messageId, digest, content } = incoming;
  const { caller } = context;
  const session = await (context.findSession ?? findShared(context))(content.type);
  const { host, taskId } = session;
  if ((incoming.taskId ?? taskId) !== taskId) {
    throw new ProtocolError("task-not-found", `there is no task ${incoming.taskId}`);
  }
  if (content.type === "prompt") return await promptAt(session, { ...incoming, content }, context);
  const { confirmations } = content;
  // By the id of the call alone: a command that someone runs beside the task may ask as well.
  const ticket = await deliverAnswers({ host, confirmations, caller, messageId, digest });
  return { type: "turn", host, messageId, isNewTask: false, digest, ...ticket };
}

function findShared({ shared }: RpcContext): () => Promise<SharedSession> {
  return async () => {
    const session = await shared?.();
    if (session !== undefined) return session;
    throw new ProtocolError("unsupported-operation", "no session is shared here");
  };
}

async function findDelivery(
  incoming: Incoming,
  context: RpcContext,
): Promise<Delivery | undefined> {
  const { messageId, digest } = incoming;
  const receipt = await context.sessions.findReceipt(context.caller, messageId);
  if (receipt === undefined || (await isElsewhere(receipt, context))) return undefined;
  const { taskId, turn, afterPosition } = receipt;
  const { host } = await getTask(taskId, context);
  // An answer to a command's question has a receipt of the command's task.
  const named = context.dialect.traits.hasOneTask ? { ...incoming, taskId: undefined } : incoming;
  await checkRepeated(named, { receipt, log: host.log });
  // Only a message that is sent again can have been heard before: its cursor says how far.
  const heard = context.after === undefined ? undefined : await host.log.locate(context.after);
  const isNewTask = isTaskNews(incoming, context) && heard === undefined;
  const ticket = { taskId, turn, afterPosition };
  const delivery = { type: "turn", host, messageId, isNewTask, digest, ...ticket } as const;
  return heard === undefined ? delivery : { ...delivery, heard };
}

/** Returns true if the client does not know the task: it named none, and may have several. */
function isTaskNews({ taskId }: Incoming, { dialect }: RpcContext): boolean {
  return taskId === undefined && !dialect.traits.hasOneTask;
}

/** Returns true if a receipt is of another session than the one that a live endpoint serves. */
async function isElsewhere(
  { contextId }: StoredReceipt,
  { shared }: Pick<RpcContext, "shared">,
): Promise<boolean> {
  const live = await shared?.();
  return live !== undefined && live.host.session.contextId !== contextId;
}

async function settle(
  { messageId, taskId, contextId, digest, push }: Incoming,
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
  const { host } = await getTaskOf({ taskId, contextId }, context);
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
  incoming: IncomingPrompt,
  context: RpcContext,
): Promise<Delivery | undefined> {
  if (!context.dialect.traits.answersInText) return undefined;
  const { contextId, content, push } = incoming;
  const taskId = incoming.taskId ?? (await findWaitingTask(contextId, context));
  if (taskId === undefined) return undefined;
  const { host } = await getTaskOf({ taskId, contextId }, context);
  const view = await host.log.view(taskId);
  const text = textOf(content.parts);
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
  return await settle({ ...incoming, taskId }, [answer], context);
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

async function deliverPrompt(incoming: IncomingPrompt, context: RpcContext): Promise<Delivery> {
  const place = await findPlace(incoming, context);
  try {
    return await promptAt(place, incoming, context);
  } catch (reason) {
    if (!isEndedSince(reason, place)) throw reason;
    return await promptAt(await findPlace(incoming, context), incoming, context);
  }
}

// The task ended between the look and the prompt: another look tells whether this client may go on.
function isEndedSince(reason: unknown, { taskState }: Place): boolean {
  const isRefused = reason instanceof ProtocolError && reason.code === "unsupported-operation";
  return isRefused && taskState !== undefined && !isTerminalState(taskState);
}

async function promptAt(
  place: Place,
  incoming: IncomingPrompt,
  context: RpcContext,
): Promise<Delivery> {
  const { messageId, digest, push, content: prompt } = incoming;
  const { host, taskId = context.createId() } = place;
  const request = {
    messageId,
    taskId,
    parts: prompt.parts,
    digest,
    // In a session that everyone shares, a client's own mode covers this prompt alone. (CLI-18)
    ...(prompt.settings?.autoExecute === true &&
      (context.shared === undefined ? { taskMode: "yolo" as const } : { mode: "yolo" as const })),
    ...(place.taskState !== undefined && { taskState: place.taskState }),
  };
  const { dialect, caller } = context;
  const ticket = await withPush(push, { host, taskId, messageId }, () =>
    withDialect({ log: host.log, taskId, dialect }, () => host.agent.prompt(request, caller)),
  );
  const isNewTask = isTaskNews(incoming, context);
  return { type: "turn", host, messageId, isNewTask, digest, ...ticket };
}
