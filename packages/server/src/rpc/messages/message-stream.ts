import {
  type AgentSettings,
  emptyTaskView,
  reduceTaskView,
  type SessionEvent,
  type TaskState,
  type TaskView,
} from "@dt/schema";
import type { ReceivedMessage, StreamFrame } from "@dt/schema/wire";
import type { SessionLog } from "../../log/session-log.js";
import type { SessionHost } from "../../sessions/session-host.js";
import { positionOf, turnEvents, turnStream } from "../frames/turn-stream.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { checkTurnEnded } from "./check-turn-ended.js";
import { deliverMessage } from "./deliver-message.js";
import type { Delivery, TurnDelivery } from "./delivery.js";

type Frames = AsyncGenerator<readonly StreamFrame[], void, undefined>;

/**
 * `message/stream`, `SendStreamingMessage`: delivers a prompt or an answer, and streams the events of its turn. The
 * stream of a repeated message starts after the client's cursor, or with the current task if there is no cursor.
 */
export async function messageStream(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { dialect } = context;
  const received = dialect.decodeMessage(params);
  const delivery = await deliverMessage(received, context);
  const frameId = dialect.traits.framesNameSession && { frameId: delivery.host.log.contextId };
  return { type: "stream", batches: deliveredStream(delivery, received, context), ...frameId };
}

/**
 * `message/send`, `SendMessage`: delivers a message. The answer is sent when the turn has ended or asks a question, or
 * at once if the client requests that. A repeated message is answered with the latest state. (A2A 1.0 §3.2.2)
 */
export async function messageSend(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { dialect } = context;
  const received = dialect.decodeMessage(params);
  const delivery = await deliverMessage(received, context);
  const { host, taskId } = delivery;
  const { last, turn } =
    received.returnsImmediately || delivery.type !== "turn"
      ? { last: undefined, turn: emptyTaskView(taskId, host.log.contextId) }
      : await waitForTurnEnd(delivery, context);
  const isRepeated = delivery.type === "turn" && delivery.isRepeated === true;
  const task = await viewAtEnd(isRepeated ? undefined : last, host.log, taskId);
  const queuePosition = delivery.type === "turn" ? findQueuePosition(task, delivery) : 0;
  const result = dialect.encodeReply({ task, turn, queuePosition }, received);
  return { type: "result", result };
}

// Waits until the turn of a message has ended or asks a question. If the server stops first, the client gets
// `agent-busy`. The message stays accepted, so a client that sends it again gets the result.
async function waitForTurnEnd(
  delivery: TurnDelivery,
  context: RpcContext,
): Promise<{ readonly last: SessionEvent | undefined; readonly turn: TaskView }> {
  const { host, ...ticket } = delivery;
  const { stopping } = context;
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  let turn = emptyTaskView(ticket.taskId, host.log.contextId);
  for await (const { events, isEnded } of turnEvents({ ...ticket, log: host.log, signal })) {
    for (const { event } of events) turn = reduceTaskView(turn, event);
    if (isEnded) return { last: events.at(-1)?.event, turn };
  }
  await checkTurnEnded(delivery, stopping);
  return { last: undefined, turn };
}

// Returns the task as it was at the end of a turn, because the next turn may have begun already.
async function viewAtEnd(
  last: SessionEvent | undefined,
  log: SessionLog,
  taskId: string,
): Promise<TaskView> {
  const view = await log.view(taskId);
  if (last?.cursor === undefined || last.cursor === view.cursor) return view;
  // If the turn stopped at a question, the question may be answered already, so the current task is returned.
  if (last.kind === "STATE_CHANGE" && last.waiting?.length) return view;
  return await log.viewAt(taskId, log.cursors.decode(last.cursor).position);
}

async function* deliveredStream(
  delivery: Delivery,
  received: ReceivedMessage,
  context: RpcContext,
): Frames {
  const { dialect, caller, signal } = context;
  const { log } = delivery.host;
  if (delivery.type === "repeated-question") {
    const view = await log.view(delivery.taskId);
    yield dialect.start(view, { type: "repeated-question" }).frames;
    return;
  }
  const settings = settingsOf(delivery.host, received);
  if (delivery.type === "opened") {
    const view = { ...(await log.view(delivery.taskId)), settings };
    yield dialect.start(view, { type: "message", isNewTask: true, queuePosition: 0 }).frames;
    return;
  }
  const { host: _, ...turn } = delivery;
  const now = await findRepeatStart(delivery, context);
  if (now !== undefined) {
    const { memory, frames } = dialect.start(now, { type: "subscription" });
    yield frames;
    const reachedPosition = positionOf(now, log);
    yield* turnStream({ ...turn, reachedPosition, log, dialect, memory, caller, signal });
    return;
  }
  const view = { ...(await viewAfter(log, delivery)), settings };
  const queuePosition = findQueuePosition(view, delivery);
  const knownState = await stateAtCursor(log, delivery);
  const known = knownState !== undefined && { knownState };
  // A message that joins a turn has no event yet, so its stream starts with the task.
  const isNewTask = turn.isNewTask || (turn.isSteering && view.cursor === undefined);
  const start = { type: "message", isNewTask, queuePosition, ...known } as const;
  const { memory, frames } = dialect.start(view, start);
  if (frames.length > 0) yield frames;
  yield* turnStream({ ...turn, log, dialect, memory, caller, signal });
}

// Returns the settings of a message's task. They belong to the session, except autoExecute, which belongs to the task.
function settingsOf({ session }: SessionHost, { content }: ReceivedMessage): AgentSettings {
  const { autoExecute: _, ...settings } = session.settings;
  const isAutomatic = content.type === "prompt" && content.settings?.autoExecute === true;
  return { ...settings, ...(isAutomatic && { autoExecute: true }) };
}

/** Finds the state of the task at the cursor of a client that sent its message again. */
async function stateAtCursor(
  log: SessionLog,
  { taskId, reachedPosition }: TurnDelivery,
): Promise<TaskState | undefined> {
  if (reachedPosition === undefined || reachedPosition === 0) return undefined;
  const [last] = await log.read(reachedPosition - 1);
  return last?.event.taskId === taskId ? last.event.state : undefined;
}

// Returns the current task if the stream of a repeated message starts with the task. A queued prompt is reported like
// a new prompt.
async function findRepeatStart(
  delivery: TurnDelivery,
  { dialect }: RpcContext,
): Promise<TaskView | undefined> {
  const { isRepeated, reachedPosition, host, taskId } = delivery;
  const startsNow = dialect.traits.repeatsFromTask && reachedPosition === undefined;
  if (isRepeated !== true || !startsNow) return undefined;
  const view = await host.log.view(taskId);
  return findQueuePosition(view, delivery) > 0 ? undefined : view;
}

// Returns the task as it was right after a message was accepted, for the first frame.
async function viewAfter(
  log: SessionLog,
  { taskId, turn, isSteering, afterPosition, reachedPosition = afterPosition }: TurnDelivery,
): Promise<TaskView> {
  const empty = emptyTaskView(taskId, log.contextId);
  const first = (await log.read(reachedPosition)).find((logged) => logged.turn === turn)?.event;
  if (first === undefined) return isSteering ? await bareView(log, taskId) : await log.view(taskId);
  if (first.kind !== "USER_PROMPT" && first.kind !== "QUEUE") {
    return { ...empty, state: first.state, at: first.at };
  }
  return reduceTaskView(empty, first);
}

// Returns a task without its history and cursor, because a client that steers a working task knows them already.
async function bareView(log: SessionLog, taskId: string): Promise<TaskView> {
  const { state, at, openCalls } = await log.view(taskId);
  return { ...emptyTaskView(taskId, log.contextId), state, at, openCalls };
}

/** Returns the position of this prompt in the queue, counted from 1; 0 if it is not queued. */
function findQueuePosition({ queue }: TaskView, { messageId }: TurnDelivery): number {
  return queue.findIndex((prompt) => prompt.messageId === messageId) + 1;
}
