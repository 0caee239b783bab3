import {
  emptyTaskView,
  openQuestions,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import { serverTraits } from "@dt/schema/wire";
import type { SessionLog } from "../../log/session-log.js";
import {
  encodeEventFrame,
  encodeNotedTaskFrame,
  encodeTaskFrame,
  spellNotedTaskFrame,
  spellTaskFrame,
} from "../frames/encode-frames.js";
import { turnEvents, turnStream } from "../frames/turn-stream.js";
import type { RpcContext, RpcOutcome, StreamFrame } from "../rpc-context.js";
import { getSent } from "../sent-message.js";
import { checkRested } from "./check-rested.js";
import { type Delivery, deliverMessage, type TurnDelivery } from "./send-message.js";

type Frames = AsyncGenerator<readonly StreamFrame[], void, undefined>;

/** `message/stream`, `SendStreamingMessage`: a prompt or an answer in, the events of its turn out. */
export async function messageStream(_: unknown, context: RpcContext): Promise<RpcOutcome> {
  const delivery = await deliverMessage(getSent(context), context);
  return { type: "stream", batches: deliveredStream(delivery, context) };
}

/** `message/send`, `SendMessage`: the same, answered with the task when its turn rests. */
export async function messageSend(_: unknown, context: RpcContext): Promise<RpcOutcome> {
  const sent = getSent(context);
  const { returnsImmediately, historyLength } = sent;
  const delivery = await deliverMessage(sent, context);
  const last = returnsImmediately ? undefined : await untilRest(delivery, context);
  const { host, taskId } = delivery;
  const view = await asLeftBy(last, host.log, taskId);
  const note = delivery.type === "turn" ? findQueueNote(view, delivery, context) : undefined;
  const result =
    note === undefined
      ? spellTaskFrame(view, context, historyLength)
      : spellNotedTaskFrame(view, context, note);
  return { type: "result", result };
}

// A server that stops does not leave its callers without a word: the message is taken, and whoever
// sends it again hears what became of it.
async function untilRest(
  delivery: Delivery,
  context: RpcContext,
): Promise<SessionEvent | undefined> {
  if (delivery.type === "repeated-question") return undefined;
  const { host, ...turn } = delivery;
  const { stopping } = context;
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  for await (const { events, isEnded } of turnEvents({ ...turn, log: host.log, signal })) {
    if (isEnded) return events.at(-1)?.event;
  }
  await checkRested(delivery, stopping);
  return undefined;
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
  return await log.viewAt(taskId, log.cursors.decode(last.cursor).seq);
}

async function* deliveredStream(delivery: Delivery, context: RpcContext): Frames {
  if (delivery.type === "repeated-question") {
    yield* repeatedQuestion(delivery, context);
    return;
  }
  const { host, isNewTask, ...turn } = delivery;
  const { log } = host;
  const view = await viewAfter(log, delivery);
  const note = findQueueNote(view, delivery, context);
  if (note !== undefined) {
    yield [encodeNotedTaskFrame(view, context, note)];
  } else if (isNewTask || serverTraits[context.spelling.version].sendsTaskFirst) {
    // Only a task that is new is news: the place of another one would skip what comes next.
    const { cursor: _, ...bare } = view;
    yield [isNewTask ? encodeTaskFrame(view, context) : encodeTaskFrame(bare, context, 0)];
  }
  const { caller, signal } = context;
  yield* turnStream({ ...turn, log, dialect: context, caller, signal });
}

async function* repeatedQuestion(
  { host, taskId }: Pick<Delivery, "host" | "taskId">,
  context: RpcContext,
): Frames {
  const view = await host.log.view(taskId);
  const { contextId, state, at } = view;
  if (serverTraits[context.spelling.version].sendsTaskFirst)
    yield [encodeTaskFrame(view, context, 0)];
  const waiting = openQuestions(view);
  const event = { kind: "STATE_CHANGE" as const, waiting, taskId, contextId, state, at };
  yield [encodeEventFrame({ event, seq: 0, turn: 0, encoded: new Map() }, context, true)];
}

// The first frame shows the task as the message made it, not as it is by the time it is sent.
async function viewAfter(
  log: SessionLog,
  { taskId, turn, afterPosition, heard = afterPosition }: TurnDelivery,
): Promise<TaskView> {
  const empty = emptyTaskView(taskId, log.contextId);
  const first = (await log.read(heard)).find((logged) => logged.turn === turn)?.event;
  if (first === undefined) return await log.view(taskId);
  if (first.kind !== "USER_PROMPT" && first.kind !== "QUEUE") {
    return { ...empty, state: first.state, at: first.at };
  }
  return reduceTaskView(empty, first);
}

// Clients of the session extension see the queue itself; the others are told in words.
function findQueueNote(
  { queue }: TaskView,
  { messageId }: TurnDelivery,
  { activation }: RpcContext,
): string | undefined {
  const ahead = queue.findIndex((prompt) => prompt.messageId === messageId) + 1;
  if (activation.session || ahead === 0) return undefined;
  return `queued behind ${ahead} ${ahead === 1 ? "prompt" : "prompts"}`;
}
