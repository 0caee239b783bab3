import { isTerminalState, ProtocolError, type TaskView } from "@dt/schema";
import {
  type A2aMessage,
  type ClientMessage,
  decodeClientMessage,
  decodeSendParams,
} from "@dt/schema/wire";
import { checkSettings } from "../access/workspace-roots.js";
import type { SessionHost } from "../sessions/session-host.js";
import type { RpcContext } from "./rpc-context.js";

/** A message that was taken: where it went, and the turn that it belongs to. */
export interface Delivery {
  readonly host: SessionHost;
  readonly taskId: string;
  readonly turn: number;
  /** The place before the first event that it brought about. */
  readonly after: number;
  /** Whether the message made the task. */
  readonly isNewTask: boolean;
}

/**
 * Brings a client's message to its session: a prompt starts or queues a turn, an answer settles a
 * question. A message that was taken before is not taken again. (LOG-05)
 */
export async function deliverMessage(params: unknown, context: RpcContext): Promise<Delivery> {
  const { message } = decodeSendParams(params, context.spelling);
  const content = decodeClientMessage(message, context.activation.uris);
  checkActivation(context);
  const repeated = await findDelivery(message, context);
  if (repeated !== undefined) return repeated;
  if (content.type === "confirmation") return await deliverAnswers(message, content, context);
  return await deliverPrompt(message, content, context);
}

function checkActivation({ activation, isExtensionRequired }: RpcContext): void {
  if (isExtensionRequired && !activation.developmentTool) {
    throw new ProtocolError(
      "extension-required",
      `this agent needs clients to activate the extension ${activation.uris.developmentTool}`,
    );
  }
}

async function findDelivery(
  message: A2aMessage,
  context: RpcContext,
): Promise<Delivery | undefined> {
  const receipt = await context.sessions.findReceipt(context.principal, message.messageId);
  if (receipt === undefined) return undefined;
  const { taskId, turn, after } = receipt;
  const { host } = await context.sessions.getTask(taskId, context.principal);
  return { host, taskId, turn, after, isNewTask: message.taskId === undefined };
}

async function deliverAnswers(
  message: A2aMessage,
  { confirmations }: ClientMessage & { type: "confirmation" },
  context: RpcContext,
): Promise<Delivery> {
  if (message.taskId === undefined) {
    throw new ProtocolError(
      "invalid-message",
      "message.taskId: an answer must name the task that asked",
    );
  }
  const { host } = await context.sessions.getTask(message.taskId, context.principal);
  let delivery: Delivery | undefined;
  for (const confirmation of confirmations) {
    const { toolCallId } = confirmation;
    const verdict = await host.agent.answer(confirmation, context.principal, message.messageId);
    if (verdict.accepted) {
      const { taskId, turn, seq } = verdict;
      delivery ??= { host, taskId, turn, after: seq - 1, isNewTask: false };
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
  if (delivery === undefined)
    throw new ProtocolError("invalid-message", "message.parts: no answer given");
  return delivery;
}

async function deliverPrompt(
  message: A2aMessage,
  content: ClientMessage & { type: "prompt" },
  context: RpcContext,
): Promise<Delivery> {
  const { messageId } = message;
  const { host, taskId } = await findPlace(message, content, context);
  const isNewTask = taskId === undefined;
  const ticket = await host.agent.prompt(
    { messageId, taskId: taskId ?? context.createId(), parts: content.parts },
    context.principal,
  );
  return { host, taskId: ticket.taskId, turn: ticket.turn, after: ticket.seq - 1, isNewTask };
}

/** The session that a prompt belongs to, and the task if it goes on with one. */
async function findPlace(
  message: A2aMessage,
  content: ClientMessage & { type: "prompt" },
  context: RpcContext,
): Promise<{ readonly host: SessionHost; readonly taskId?: string }> {
  const { sessions, principal } = context;
  if (message.taskId !== undefined) {
    const { task, host } = await sessions.getTask(message.taskId, principal);
    if (message.contextId !== undefined && message.contextId !== task.contextId) {
      throw new ProtocolError(
        "invalid-message",
        `message.contextId: the task ${task.taskId} belongs to another context`,
      );
    }
    checkContinuable(await host.log.view(task.taskId), context);
    return { host, taskId: task.taskId };
  }
  const existing =
    message.contextId === undefined
      ? undefined
      : await sessions.findSession(message.contextId, principal);
  if (existing !== undefined) return { host: existing };
  const contextId = message.contextId ?? context.createId();
  const settings = await settingsOf(content, context);
  return { host: await sessions.createSession({ contextId, settings }, principal) };
}

async function settingsOf(content: ClientMessage & { type: "prompt" }, context: RpcContext) {
  const { activation, defaultSettings, workspaceRoots } = context;
  if (content.settings === undefined && activation.developmentTool) {
    throw new ProtocolError(
      "invalid-message",
      `message.metadata["${activation.uris.developmentTool}"].workspace_path: required in the first message of a session`,
    );
  }
  return await checkSettings(content.settings ?? defaultSettings, workspaceRoots);
}

// RFC-27 lets a finished task go on; A2A 1.0 forbids it, and there the context goes on instead.
function checkContinuable(view: TaskView, { spelling, activation }: RpcContext): void {
  if (!isTerminalState(view.state)) return;
  if (spelling.version === "0.3" && activation.developmentTool) return;
  throw new ProtocolError(
    "unsupported-operation",
    `the task ${view.taskId} is ${view.state}; send the message with its contextId alone to go on in a new task`,
  );
}
