import { isTerminalState } from "@dt/schema";
import { decodeTaskParams, serverTraits } from "@dt/schema/wire";
import { follow } from "../../log/follow.js";
import type { SessionLog } from "../../log/session-log.js";
import {
  createEventEncoder,
  encodeAnswerFrames,
  encodeTaskFrame,
} from "../frames/encode-frames.js";
import { isShown } from "../frames/plain-client.js";
import type { RpcContext, RpcOutcome, StreamFrame } from "../rpc-context.js";
import { getTask } from "./shared-session.js";

/**
 * `tasks/resubscribe`, `SubscribeToTask`: follows a task until it ends.
 *
 * With a cursor: exactly what comes after it, of an ended task too. Without one: a snapshot first.
 */
export async function tasksSubscribe(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { taskId } = decodeTaskParams(params);
  const { host } = await getTask(taskId, context);
  const after = context.after === undefined ? undefined : await host.log.locate(context.after);
  return { type: "stream", batches: subscription({ log: host.log, taskId, after }, context) };
}

async function* subscription(
  { log, taskId, after }: { log: SessionLog; taskId: string; after: number | undefined },
  context: RpcContext,
): AsyncGenerator<readonly StreamFrame[], void, undefined> {
  const { spelling, activation, caller, signal } = context;
  const view = await log.view(taskId);
  const lastSeen = view.cursor === undefined ? 0 : log.cursors.decode(view.cursor).seq;
  if (after === undefined) {
    yield [context.snapshots.encode(view, context)];
  } else if (serverTraits[spelling.version].sendsTaskFirst) {
    // The spec wants a task first; it carries nothing that the client has not seen.
    const { cursor: _, ...bare } = view;
    yield [encodeTaskFrame(bare, context, 0)];
  }
  if (isTerminalState(view.state) && (after ?? lastSeen) >= lastSeen) return;

  const encode = createEventEncoder(context);
  for await (const { events, live } of follow(log, after ?? lastSeen, signal, caller)) {
    const frames: StreamFrame[] = [];
    let isEnded = false;
    for (const logged of [...events, ...live]) {
      if (logged.event.taskId !== taskId) continue;
      // A task that went on after it had ended is followed to its last end.
      isEnded = isTerminalState(logged.event.state) && logged.seq >= (await lastPlace(log, taskId));
      if (isEnded) frames.push(...encodeAnswerFrames(await log.view(taskId), context));
      if (isShown(logged.event, activation)) {
        frames.push(encode(logged, isEnded));
      }
      if (isEnded) break;
    }
    if (frames.length > 0) yield frames;
    if (isEnded) return;
  }
}

async function lastPlace(log: SessionLog, taskId: string): Promise<number> {
  const { cursor } = await log.view(taskId);
  return cursor === undefined ? 0 : log.cursors.decode(cursor).seq;
}
