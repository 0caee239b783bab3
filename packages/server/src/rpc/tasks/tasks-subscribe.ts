import { isTerminalState, ProtocolError } from "@dt/schema";
import { type Dialect, decodeTaskParams, SERVER_TRAITS, type StreamFrame } from "@dt/schema/wire";
import type { SessionLog } from "../../log/session-log.js";
import { pullBatches } from "../../log/subscribers/pull-batches.js";
import { createStreamEncoder } from "../frames/stream-encoder.js";
import { positionOf } from "../frames/turn-stream.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { dialectOf, type FoundTask, getTaskForCaller } from "./shared-session.js";

/**
 * `tasks/resubscribe`, `SubscribeToTask`: streams the events of a task until the task ends. The stream starts after
 * the cursor of the client, even if the task has ended. Without a cursor, the stream starts with a snapshot. In A2A
 * 1.0, a request without a cursor is refused if the task has ended.
 */
export async function tasksSubscribe(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { taskId } = decodeTaskParams(params);
  const found = await getTaskForCaller(taskId, context);
  const { log } = found.host;
  const after = context.after === undefined ? undefined : await log.locate(context.after);
  if (after === undefined) await checkNotEnded(found, context);
  const dialect = dialectOf(found, context);
  return { type: "stream", batches: subscription({ log, taskId, after, dialect }, context) };
}

async function checkNotEnded({ host, taskId }: FoundTask, context: RpcContext): Promise<void> {
  if (!SERVER_TRAITS[context.spelling.version].refusesEndedSubscriptions) return;
  const { state } = await host.log.view(taskId);
  if (!isTerminalState(state)) return;
  throw new ProtocolError(
    "unsupported-operation",
    `the task ${taskId} is ${state}; get it instead, or subscribe with a cursor`,
  );
}

interface Subscription {
  readonly log: SessionLog;
  readonly taskId: string;
  /** Position of the client's cursor; undefined if the client sent no cursor. */
  readonly after: number | undefined;
  readonly dialect: Dialect;
}

async function* subscription(
  options: Subscription,
  context: RpcContext,
): AsyncGenerator<readonly StreamFrame[], void, undefined> {
  const { log, taskId, after, dialect } = options;
  const { caller, signal } = context;
  const now = await log.view(taskId);
  const lastSeen = positionOf(now, log);
  // Chunks continue the reply that the client has, so they need the task as it was at the client's cursor.
  const isEarlier = dialect.chunksReply && after !== undefined && after < lastSeen;
  const view = isEarlier ? await log.viewAt(taskId, after) : now;
  const started =
    after === undefined
      ? context.snapshots.start(view, dialect)
      : dialect.start(view, { type: "resumed" });
  if (started.frames.length > 0) yield started.frames;
  if (isTerminalState(now.state) && (after ?? lastSeen) >= lastSeen) return;

  const encode = createStreamEncoder(dialect, started.memory, { views: [view] });
  for await (const { events, live } of pullBatches(log, after ?? lastSeen, signal, caller)) {
    const frames: StreamFrame[] = [];
    let isEnded = false;
    for (const logged of [...events, ...live]) {
      if (logged.event.taskId !== taskId) continue;
      // A task may continue after it has ended, so only the last event of the task ends the stream.
      const ended = isTerminalState(logged.event.state) ? await log.view(taskId) : undefined;
      isEnded = ended !== undefined && logged.position >= positionOf(ended, log);
      frames.push(...encode(logged, isEnded));
      if (isEnded) break;
    }
    if (frames.length > 0) yield frames;
    if (isEnded) return;
  }
}
