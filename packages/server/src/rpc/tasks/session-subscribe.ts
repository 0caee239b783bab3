import { emptyTaskView, ProtocolError } from "@dt/schema";
import { decodeFollowParams, SESSION_IDLE, type StreamFrame } from "@dt/schema/wire";
import type { SessionLog } from "../../log/session-log.js";
import { pullBatches } from "../../log/subscribers/pull-batches.js";
import { createStreamEncoder } from "../frames/stream-encoder.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { findSession } from "./shared-session.js";

/**
 * `session/subscribe`: streams the events of all tasks of a session in order. The stream starts after the cursor of
 * the client, or with the next event if there is no cursor. If the client asks for it, the stream ends when the
 * session is idle.
 */
export async function sessionSubscribe(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { contextId, untilIdle } = decodeFollowParams(params);
  const host = await findSession(contextId, context);
  if (host === undefined) {
    throw new ProtocolError("task-not-found", `context_id: there is no session ${contextId}`);
  }
  const { log } = host;
  const after = context.after === undefined ? log.lastPosition : await log.locate(context.after);
  return { type: "stream", batches: sessionFrames({ log, after, untilIdle }, context) };
}

async function* sessionFrames(
  { log, after, untilIdle }: { log: SessionLog; after: number; untilIdle: boolean },
  context: RpcContext,
): AsyncGenerator<readonly StreamFrame[], void, undefined> {
  const isOver = (position: number) => untilIdle && log.isIdle && position >= log.lastPosition;
  const { dialect } = context;
  const { memory } = dialect.start(emptyTaskView("", log.contextId), { type: "events" });
  const encode = createStreamEncoder(dialect, memory);
  let position = after;
  if (isOver(position)) {
    yield [{ json: JSON.stringify(SESSION_IDLE) }];
    return;
  }
  for await (const { events, live } of pullBatches(log, after, context.signal, context.caller)) {
    position = events.at(-1)?.position ?? position;
    const frames = [...events, ...live].flatMap((logged) => encode(logged, false));
    if (frames.length > 0) yield frames;
    if (!isOver(position)) continue;
    yield [{ json: JSON.stringify(SESSION_IDLE) }];
    return;
  }
}
