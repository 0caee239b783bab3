import { isTerminalState, type TaskView } from "@dt/schema";
import type { Dialect } from "@dt/schema/wire";
import type { SessionLog } from "../log/session-log.js";
import { pullBatches } from "../log/subscribers/pull-batches.js";
import {
  createStreamEncoder,
  type Envelope,
  type StreamEncoder,
} from "../rpc/frames/stream-encoder.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import { findOtherQuestions, type SharedSession } from "../rpc/tasks/shared-session.js";
import { CLOSE_CODES } from "./close-codes.js";
import { frameText } from "./rpc-socket.js";
import type { SocketConnection } from "./socket-connection.js";

const EVENT_PREFIX = '{"jsonrpc":"2.0","method":"event","params":';

/** Wraps each frame in a JSON-RPC notification. */
export const NOTIFICATION: Envelope = {
  name: "notification",
  wrap: (frame) => frameText(EVENT_PREFIX, frame),
};

/** Options of {@link sendSessionEvents}. */
export interface SessionEventsOptions {
  readonly session: SharedSession;
  readonly services: Pick<RpcServices, "tasks">;
  readonly dialect: Dialect;
  /** Text around each frame. Default: none. */
  readonly envelope?: Envelope;
  /** Only events after this cursor are sent. Default: the current state of the session, then new events. */
  readonly after?: string | undefined;
}

/** Sends the events of a session to a socket whose client has not requested them. (CLI-05) */
export async function sendSessionEvents(
  connection: SocketConnection,
  options: SessionEventsOptions,
): Promise<void> {
  const { session, services, dialect, envelope, after } = options;
  const { log } = session.host;
  const now = await log.view(session.taskId);
  const position = after === undefined ? positionOf(now, log) : await log.locate(after);
  const isEarlier = dialect.chunksReply && position < positionOf(now, log);
  const view = isEarlier ? await log.viewAt(session.taskId, position) : now;
  const others = after === undefined ? await findOtherQuestions(session, services, position) : [];
  const type = after === undefined ? "joined" : "events";
  const { memory, frames } = dialect.start(view, { type, others });
  for (const frame of frames) await connection.send(envelope?.wrap(frame) ?? frame.json);
  const encode = createStreamEncoder(dialect, memory, { envelope, views: [view] });
  await sendNewEvents(connection, { log, position }, encode);
}

async function sendNewEvents(
  connection: SocketConnection,
  { log, position }: { readonly log: SessionLog; readonly position: number },
  encode: StreamEncoder,
): Promise<void> {
  const { signal } = connection;
  try {
    for await (const { events, live } of pullBatches(log, position, signal)) {
      for (const logged of [...events, ...live]) {
        if (signal.aborted) return;
        const { event } = logged;
        const isLast = event.kind === "STATE_CHANGE" && isTerminalState(event.state);
        for (const { json } of encode(logged, isLast)) {
          const written = connection.send(json);
          if (written !== undefined) await written;
        }
      }
    }
  } catch (reason) {
    if (!log.isClosed) throw reason;
    connection.close(CLOSE_CODES.sessionClosed, "the session was closed; connect again");
  }
}

function positionOf({ cursor }: TaskView, log: SessionLog): number {
  return cursor === undefined ? 0 : log.cursors.decode(cursor).position;
}
