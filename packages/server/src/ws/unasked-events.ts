import { isTerminalState, openQuestions, type SessionEvent, type TaskView } from "@dt/schema";
import { encodeGuideFrame } from "@dt/schema/wire";
import { follow } from "../log/follow.js";
import type { LoggedEvent, SessionLog } from "../log/session-log.js";
import {
  type Dialect,
  dialectKey,
  encodeEventFrame,
  encodeTaskFrame,
} from "../rpc/frames/encode-frames.js";
import { isShown } from "../rpc/frames/plain-client.js";
import { encodeGuideText } from "../rpc/guide/guide-frames.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import { findOtherQuestions, type SharedSession } from "../rpc/tasks/shared-session.js";
import { closeCodes } from "./close-codes.js";
import { frameText } from "./rpc-socket.js";
import type { SocketConnection } from "./socket-connection.js";

const EVENT_PREFIX = '{"jsonrpc":"2.0","method":"event","params":';

/** Where a socket begins to watch, and how. */
export interface WatchOptions {
  readonly session: SharedSession;
  readonly services: Pick<RpcServices, "tasks">;
  /** Goes on after this cursor; without one, a snapshot comes first. */
  readonly after?: string | undefined;
}

/** Sends a session's events as notifications: the task as it stands, then all that happens. (CLI-05) */
export async function sendNotifications(
  connection: SocketConnection,
  { session, services, after }: WatchOptions,
  dialect: Dialect,
): Promise<void> {
  const { log } = session.host;
  const view = await log.view(session.taskId);
  if (after === undefined) {
    const others = await findOtherQuestions(session, services, placeOf(view, log));
    for (const { cursor: _, ...other } of others) {
      await connection.send(frameText(EVENT_PREFIX, encodeTaskFrame(other, dialect)));
    }
    await connection.send(frameText(EVENT_PREFIX, encodeTaskFrame(view, dialect)));
  }
  const place = after === undefined ? placeOf(view, log) : await log.locate(after);
  await sendFollowing(connection, { log, place }, (logged) =>
    isShown(logged.event, dialect.activation) ? encodeNotification(logged, dialect) : undefined,
  );
}

// The whole text is the same for every socket, so all of it is written once.
function encodeNotification(logged: LoggedEvent, dialect: Dialect): string {
  const { event, encoded } = logged;
  const isFinal = event.kind === "STATE_CHANGE" && isTerminalState(event.state);
  const key = `notification ${dialectKey(dialect, isFinal)}`;
  let text = encoded.get(key);
  if (text === undefined) {
    text = frameText(EVENT_PREFIX, encodeEventFrame(logged, dialect, isFinal));
    encoded.set(key, text);
  }
  return text;
}

/** Sends a session's events as the guide's frames: its history, its open questions, then the rest. */
export async function sendGuideFrames(
  connection: SocketConnection,
  { session, services }: WatchOptions,
): Promise<void> {
  const { log } = session.host;
  const view = await log.view(session.taskId);
  const others = await findOtherQuestions(session, services, placeOf(view, log));
  for (const event of [...historyOf(view), ...others.flatMap(questionsOf)]) {
    const frame = encodeGuideFrame(event);
    if (frame !== undefined) await connection.send(JSON.stringify(frame));
  }
  await sendFollowing(connection, { log, place: placeOf(view, log) }, encodeGuideText);
}

async function sendFollowing(
  connection: SocketConnection,
  { log, place }: { readonly log: SessionLog; readonly place: number },
  encode: (logged: LoggedEvent) => string | undefined,
): Promise<void> {
  const { signal } = connection;
  try {
    for await (const { events, live } of follow(log, place, signal)) {
      for (const logged of [...events, ...live]) {
        if (signal.aborted) return;
        const text = encode(logged);
        const room = text === undefined ? undefined : connection.send(text);
        if (room !== undefined) await room;
      }
    }
  } catch (reason) {
    if (!log.isClosed) throw reason;
    connection.close(closeCodes.sessionClosed, "the session was closed; connect again");
  }
}

// A question that is older than the items that a view keeps still waits.
function historyOf(view: TaskView): readonly SessionEvent[] {
  const { taskId, contextId, state, items } = view;
  const shown = new Set(
    items.map(({ event }) => event.kind === "TOOL_CALL_UPDATE" && event.toolCall.toolCallId),
  );
  const older = questionsOf(view).filter(({ toolCall }) => !shown.has(toolCall.toolCallId));
  return [...older, ...items.map(({ at, event }) => ({ ...event, taskId, contextId, state, at }))];
}

function questionsOf(view: TaskView) {
  const { taskId, contextId, state, at } = view;
  return openQuestions(view).map((toolCall) => {
    return { kind: "TOOL_CALL_UPDATE" as const, toolCall, taskId, contextId, state, at };
  });
}

function placeOf({ cursor }: TaskView, log: SessionLog): number {
  return cursor === undefined ? 0 : log.cursors.decode(cursor).seq;
}
