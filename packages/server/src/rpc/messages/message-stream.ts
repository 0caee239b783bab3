import { emptyTaskView, reduceTaskView, type SessionEvent, type TaskView } from "@dt/schema";
import type { StreamFrame } from "@dt/schema/wire";
import type { SessionLog } from "../../log/session-log.js";
import { findSeen, turnEvents, turnStream } from "../frames/turn-stream.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { checkRested } from "./check-rested.js";
import { deliverMessage } from "./deliver-message.js";
import type { Delivery, TurnDelivery } from "./delivery.js";

type Frames = AsyncGenerator<readonly StreamFrame[], void, undefined>;

/** `message/stream`, `SendStreamingMessage`: a prompt or an answer in, the events of its turn out. */
export async function messageStream(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { dialect } = context;
  const delivery = await deliverMessage(dialect.decodeMessage(params), context);
  const frameId = dialect.traits.framesNameSession && { frameId: delivery.host.log.contextId };
  return { type: "stream", batches: deliveredStream(delivery, context), ...frameId };
}

/** `message/send`, `SendMessage`: the same, answered once when its turn rests. */
export async function messageSend(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { dialect } = context;
  const received = dialect.decodeMessage(params);
  const delivery = await deliverMessage(received, context);
  const { host, taskId } = delivery;
  const { last, turn } =
    received.returnsImmediately || delivery.type === "repeated-question"
      ? { last: undefined, turn: emptyTaskView(taskId, host.log.contextId) }
      : await untilRest(delivery, context);
  const task = await asLeftBy(last, host.log, taskId);
  const queuePosition = delivery.type === "turn" ? findQueuePosition(task, delivery) : 0;
  const result = dialect.encodeReply({ task, turn, queuePosition }, received);
  return { type: "result", result };
}

// A server that stops does not leave its callers without a reply: the message is taken, and a client that
// sends it again gets its outcome.
async function untilRest(
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
  await checkRested(delivery, stopping);
  return { last: undefined, turn };
}

// The task may have gone on with the next turn already: this one is answered with what it came to.
async function asLeftBy(
  last: SessionEvent | undefined,
  log: SessionLog,
  taskId: string,
): Promise<TaskView> {
  const view = await log.view(taskId);
  if (last?.cursor === undefined || last.cursor === view.cursor) return view;
  // A question that has been answered since is none any more.
  if (last.kind === "STATE_CHANGE" && last.waiting?.length) return view;
  return await log.viewAt(taskId, log.cursors.decode(last.cursor).position);
}

async function* deliveredStream(delivery: Delivery, context: RpcContext): Frames {
  const { dialect, caller, signal } = context;
  const { log } = delivery.host;
  if (delivery.type === "repeated-question") {
    const view = await log.view(delivery.taskId);
    yield dialect.start(view, { type: "repeated-question" }).frames;
    return;
  }
  const { host: _, isNewTask, ...turn } = delivery;
  const view = await viewAfter(log, delivery);
  const queuePosition = findQueuePosition(view, delivery);
  const seen = await findSeen({ ...turn, log }, dialect);
  const start = { type: "message", isNewTask, queuePosition, ...(seen && { seen }) } as const;
  const { memory, frames } = dialect.start(view, start);
  if (frames.length > 0) yield frames;
  yield* turnStream({ ...turn, log, dialect, memory, caller, signal });
}

// The first frame shows the task as the message made it, not as it is by the time it is sent.
async function viewAfter(
  log: SessionLog,
  { taskId, turn, afterPosition, reachedPosition = afterPosition }: TurnDelivery,
): Promise<TaskView> {
  const empty = emptyTaskView(taskId, log.contextId);
  const first = (await log.read(reachedPosition)).find((logged) => logged.turn === turn)?.event;
  if (first === undefined) return await log.view(taskId);
  if (first.kind !== "USER_PROMPT" && first.kind !== "QUEUE") {
    return { ...empty, state: first.state, at: first.at };
  }
  return reduceTaskView(empty, first);
}

/** Number of waiting prompts up to and with this one; 0 if it does not wait. */
function findQueuePosition({ queue }: TaskView, { messageId }: TurnDelivery): number {
  return queue.findIndex((prompt) => prompt.messageId === messageId) + 1;
}
