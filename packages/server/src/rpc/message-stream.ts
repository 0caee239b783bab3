import { emptyTaskView, reduceTaskView, type TaskView } from "@dt/schema";
import { decodeSendParams } from "@dt/schema/wire";
import { encodeTaskFrame } from "./encode-frames.js";
import type { RpcContext, RpcOutcome, StreamFrame } from "./rpc-context.js";
import { type Delivery, deliverMessage } from "./send-message.js";
import { turnStream } from "./turn-stream.js";

/** `message/stream`, `SendStreamingMessage`: a prompt or an answer in, the events of its turn out. */
export async function messageStream(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const delivery = await deliverMessage(params, context);
  return { type: "stream", batches: deliveredStream(delivery, context) };
}

/** `message/send`, `SendMessage`: the same, answered with the task when its turn rests. */
export async function messageSend(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { returnsImmediately, historyLength } = decodeSendParams(params, context.spelling);
  const delivery = await deliverMessage(params, context);
  if (!returnsImmediately) for await (const _ of deliveredStream(delivery, context));
  const view = await delivery.host.log.view(delivery.taskId);
  const { json } = encodeTaskFrame(view, context, historyLength);
  const frame = JSON.parse(json) as Record<string, unknown>;
  return { type: "result", result: frame };
}

async function* deliveredStream(
  { host, turn, after, taskId, isNewTask }: Delivery,
  context: RpcContext,
): AsyncGenerator<readonly StreamFrame[], void, undefined> {
  const { spelling, signal } = context;
  const resumed = context.after === undefined ? after : host.log.cursors.decode(context.after);
  if (isNewTask || spelling.version === "1.0") {
    const view = await viewAfter(host.log, taskId, turn, resumed);
    yield [encodeTaskFrame(view, context, isNewTask ? undefined : 0)];
  }
  yield* turnStream({ log: host.log, turn, after: resumed, dialect: context, signal });
}

// The first frame shows the task as the message made it, not as it is by the time it is sent.
async function viewAfter(
  log: Delivery["host"]["log"],
  taskId: string,
  turn: number,
  after: number,
): Promise<TaskView> {
  const empty = emptyTaskView(taskId, log.contextId);
  const events = (await log.read(after)).filter((logged) => logged.turn === turn);
  const first = events[0]?.event;
  if (first === undefined) return await log.view(taskId);
  if (first.kind !== "USER_PROMPT" && first.kind !== "QUEUE") {
    return { ...empty, state: first.state, at: first.at };
  }
  return reduceTaskView(empty, first);
}
