import { isTerminalState, type TaskView } from "@dt/schema";
import { type Dialect, decodeTaskParams, type Encoded, type StreamFrame } from "@dt/schema/wire";
import type { SessionLog } from "../../log/session-log.js";
import { pullBatches } from "../../log/subscribers/pull-batches.js";
import { createStreamEncoder } from "../frames/stream-encoder.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { dialectOf, getTaskForCaller } from "./shared-session.js";

/**
 * `tasks/resubscribe`, `SubscribeToTask`: streams the events of a task until it ends. With a cursor it starts after
 * that, also for an ended task; without one it starts with a snapshot.
 */
export async function tasksSubscribe(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { taskId } = decodeTaskParams(params);
  const found = await getTaskForCaller(taskId, context);
  const { log } = found.host;
  const after = context.after === undefined ? undefined : await log.locate(context.after);
  const dialect = dialectOf(found, context);
  return { type: "stream", batches: subscription({ log, taskId, after, dialect }, context) };
}

interface Subscription {
  readonly log: SessionLog;
  readonly taskId: string;
  /** Position of the client's cursor; undefined if it gave none. */
  readonly after: number | undefined;
  readonly dialect: Dialect;
}

async function* subscription(
  options: Subscription,
  context: RpcContext,
): AsyncGenerator<readonly StreamFrame[], void, undefined> {
  const { log, taskId, after, dialect } = options;
  const { caller, signal } = context;
  const view = await log.view(taskId);
  const lastSeen = view.cursor === undefined ? 0 : log.cursors.decode(view.cursor).position;
  const started = await start(view, options, context);
  if (started.frames.length > 0) yield started.frames;
  if (isTerminalState(view.state) && (after ?? lastSeen) >= lastSeen) return;

  const encode = createStreamEncoder(dialect, started.memory);
  for await (const { events, live } of pullBatches(log, after ?? lastSeen, signal, caller)) {
    const frames: StreamFrame[] = [];
    let isEnded = false;
    for (const logged of [...events, ...live]) {
      if (logged.event.taskId !== taskId) continue;
      // A task may continue after it has ended, so only its last end ends the stream.
      isEnded =
        isTerminalState(logged.event.state) &&
        logged.position >= (await lastPositionOf(log, taskId));
      frames.push(...encode(logged, isEnded));
      if (isEnded) break;
    }
    if (frames.length > 0) yield frames;
    if (isEnded) return;
  }
}

async function start(
  view: TaskView,
  { log, taskId, after, dialect }: Subscription,
  { snapshots }: RpcContext,
): Promise<Encoded<unknown>> {
  if (after === undefined) return snapshots.start(view, dialect);
  // Read only if frames depend on earlier events, because it may have to be folded.
  const seen = dialect.sharesFrames ? undefined : await log.viewAt(taskId, after);
  return dialect.start(view, { type: "resumed", ...(seen && { seen }) });
}

async function lastPositionOf(log: SessionLog, taskId: string): Promise<number> {
  const { cursor } = await log.view(taskId);
  return cursor === undefined ? 0 : log.cursors.decode(cursor).position;
}
