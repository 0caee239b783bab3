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
import { closeCodes } from "./close-codes.js";
import { frameText } from "./rpc-socket.js";
import type { SocketConnection } from "./socket-connection.js";

const EVENT_PREFIX = '{"jsonrpc":"2.0","method":"event","params":';

/** Makes a notification of each frame. */
export const notification: Envelope = {
  name: "notification",
  wrap: (frame) => frameText(EVENT_PREFIX, frame),
};

/** The session that a socket watches, and the way in which it is shown. */
export interface WatchOptions {
  readonly session: SharedSession;
  readonly services: Pick<RpcServices, "tasks">;
  readonly dialect: Dialect;
  /** Text around each frame. Default: none. */
  readonly envelope?: Envelope;
  /** Goes on after this cursor; without one, the session as it is comes first. */
  readonly after?: string | undefined;
}

/** Sends a session's events to a socket that did not ask for each: the session as it is, then all events. (CLI-05) */
export async function sendSessionEvents(
  connection: SocketConnection,
  options: WatchOptions,
): Promise<void> {
  const { session, services, dialect, envelope, after } = options;
  const { log } = session.host;
  const view = await log.view(session.taskId);
  const position = after === undefined ? positionOf(view, log) : await log.locate(after);
  const others = after === undefined ? await findOtherQuestions(session, services, position) : [];
  const type = after === undefined ? "joined" : "events";
  const { memory, frames } = dialect.start(view, { type, others });
  for (const frame of frames) await connection.send(envelope?.wrap(frame) ?? frame.json);
  const encode = createStreamEncoder(dialect, memory, envelope);
  await sendFollowing(connection, { log, position }, encode);
}

async function sendFollowing(
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
          const room = connection.send(json);
          if (room !== undefined) await room;
        }
      }
    }
  } catch (reason) {
    if (!log.isClosed) throw reason;
    connection.close(closeCodes.sessionClosed, "the session was closed; connect again");
  }
}

function positionOf({ cursor }: TaskView, log: SessionLog): number {
  return cursor === undefined ? 0 : log.cursors.decode(cursor).position;
}
