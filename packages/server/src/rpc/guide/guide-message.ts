import { emptyTaskView, ProtocolError, reduceTaskView } from "@dt/schema";
import { encodeGuideResult } from "@dt/schema/wire";
import { turnEvents } from "../frames/turn-stream.js";
import { checkRested } from "../messages/check-rested.js";
import type { Delivery, TurnDelivery } from "../messages/send-message.js";
import type { RpcContext, RpcOutcome, StreamFrame } from "../rpc-context.js";
import { deliverGuideMessage } from "./deliver-guide-message.js";
import { toGuideFrames } from "./guide-frames.js";

/** `message/stream` in the guide's words: a prompt or an answer in, the frames of its turn out. */
export async function guideStream(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const delivery = await deliver(params, context);
  return {
    type: "stream",
    frameId: delivery.host.log.contextId,
    batches: guideFrames(delivery, context.signal),
  };
}

/** `message/send` in the guide's words: the same, answered once with what the turn came to. */
export async function guideSend(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { stopping } = context;
  const delivery = await deliver(params, context);
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  const { host, taskId } = delivery;
  let view = emptyTaskView(taskId, host.log.contextId);
  for await (const { events } of eventsOf(delivery, signal)) {
    for (const { event } of events) view = reduceTaskView(view, event);
  }
  await checkRested(delivery, stopping);
  return { type: "result", result: encodeGuideResult(view) };
}

async function deliver(params: unknown, context: RpcContext): Promise<TurnDelivery> {
  const { caller, after, shared } = context;
  const delivery: Delivery = await deliverGuideMessage(params, {
    services: context,
    caller,
    after,
    async findSession() {
      const session = await shared?.();
      if (session !== undefined) return session;
      throw new ProtocolError("unsupported-operation", "no session is shared here");
    },
  });
  if (delivery.type === "turn") return delivery;
  throw new ProtocolError("invalid-message", "message.messageId: in use by another message");
}

async function* guideFrames(
  delivery: TurnDelivery,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamFrame[], void, undefined> {
  for await (const { events } of eventsOf(delivery, signal)) {
    const frames = toGuideFrames(events);
    if (frames.length > 0) yield frames;
  }
}

function eventsOf({ host, ...delivery }: TurnDelivery, signal: AbortSignal) {
  return turnEvents({ ...delivery, log: host.log, signal });
}
