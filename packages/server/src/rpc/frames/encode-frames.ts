import type { JsonObject, SessionEvent, TaskView } from "@dt/schema";
import {
  type A2aSpelling,
  type A2aStatusUpdate,
  type A2aTask,
  type Activation,
  createTextFrameEncoder,
  encodeEvent,
  encodeTask,
} from "@dt/schema/wire";
import type { LoggedEvent } from "../../log/session-log.js";
import type { StreamFrame } from "../rpc-context.js";
import { answerFrame, isPlain, toPlainTask, toPlainUpdate } from "./plain-client.js";

/** The version and extensions of one observer. */
export interface Dialect {
  readonly spelling: A2aSpelling;
  readonly activation: Activation;
}

/** An event in its observer's dialect; its text is written once for all who share the dialect. */
export type EventEncoder = (logged: LoggedEvent, isFinal: boolean) => StreamFrame;

/** For the events of one stream: most of them are text, which it writes without building objects. */
export function createEventEncoder(dialect: Dialect): EventEncoder {
  const encodeText = createTextFrameEncoder(dialect.spelling, dialect.activation);
  // Written once: every event of every observer asks for one of them.
  const [key, finalKey] = [dialectKey(dialect, false), dialectKey(dialect, true)];
  return ({ event, encoded }, isFinal) => {
    const ownKey = isFinal ? finalKey : key;
    let json = encoded.get(ownKey);
    if (json === undefined) {
      const isText = event.kind === "TEXT_CONTENT" && !isFinal;
      json = isText ? encodeText(event) : encodeEventJson(event, dialect, isFinal);
      encoded.set(ownKey, json);
    }
    return event.cursor === undefined ? { json } : { json, cursor: event.cursor };
  };
}

/** One event alone. */
export function encodeEventFrame(
  logged: LoggedEvent,
  dialect: Dialect,
  isFinal: boolean,
): StreamFrame {
  const { event, encoded } = logged;
  const key = dialectKey(dialect, isFinal);
  const json = encoded.get(key) ?? encodeEventJson(event, dialect, isFinal);
  encoded.set(key, json);
  return event.cursor === undefined ? { json } : { json, cursor: event.cursor };
}

function encodeEventJson(event: SessionEvent, dialect: Dialect, isFinal: boolean): string {
  const update = buildUpdate(event, dialect, isFinal);
  return JSON.stringify(dialect.spelling.encodeFrame({ type: "status-update", ...update }));
}

/** An event as its observer's extensions let it be seen, whatever the version. */
export function buildUpdate(
  event: SessionEvent,
  { activation }: Pick<Dialect, "activation">,
  isFinal: boolean,
): A2aStatusUpdate {
  const update = encodeEvent(event, activation, isFinal);
  return isPlain(activation) ? toPlainUpdate(update, event) : update;
}

/** What tells the texts of one event apart. */
export function dialectKey({ spelling, activation }: Dialect, isFinal: boolean): string {
  const { developmentTool, session } = activation;
  return `${spelling.version} ${developmentTool} ${session} ${isFinal}`;
}

/** A task as a frame of a stream, in the dialect of its subscriber. */
export function encodeTaskFrame(
  view: TaskView,
  dialect: Dialect,
  historyLength?: number,
): StreamFrame {
  return toFrame(spellTaskFrame(view, dialect, historyLength), view);
}

/** The same as an object. */
export function spellTaskFrame(
  view: TaskView,
  dialect: Dialect,
  historyLength?: number,
): JsonObject {
  const task = buildTask(view, dialect, historyLength);
  return dialect.spelling.encodeFrame({ type: "task", task });
}

/** A task without its history, with a sentence on its status. */
export function encodeNotedTaskFrame(view: TaskView, dialect: Dialect, note: string): StreamFrame {
  return toFrame(spellNotedTaskFrame(view, dialect, note), view);
}

/** The same as an object. */
export function spellNotedTaskFrame(view: TaskView, dialect: Dialect, note: string): JsonObject {
  const { activation } = dialect;
  const task = buildTask(view, dialect, 0);
  const message = {
    messageId: `${view.taskId}:status`,
    role: "agent" as const,
    parts: [{ type: "text" as const, text: note }],
    ...(activation.developmentTool && {
      metadata: { [activation.uris.developmentTool]: { kind: "STATE_CHANGE" } },
    }),
  };
  const noted = { ...task, status: { ...task.status, message } };
  return dialect.spelling.encodeFrame({ type: "task", task: noted });
}

/** The answer as an artifact, for plain clients, where there is one. */
export function encodeAnswerFrames(view: TaskView, dialect: Dialect): readonly StreamFrame[] {
  const { spelling, activation } = dialect;
  const frame = isPlain(activation) ? answerFrame(view, activation) : undefined;
  return frame === undefined ? [] : [{ json: JSON.stringify(spelling.encodeFrame(frame)) }];
}

/** A task as the methods that answer with one spell it. */
export function spellTask(view: TaskView, dialect: Dialect, historyLength?: number): JsonObject {
  return dialect.spelling.encodeTask(buildTask(view, dialect, historyLength));
}

function toFrame(spelled: JsonObject, { cursor }: TaskView): StreamFrame {
  const json = JSON.stringify(spelled);
  return cursor === undefined ? { json } : { json, cursor };
}

/** A task as its observer's extensions let it be seen, whatever the version. */
export function buildTask(
  view: TaskView,
  { activation }: Pick<Dialect, "activation">,
  historyLength?: number,
): A2aTask {
  const task = encodeTask(view, {
    activation,
    ...(historyLength !== undefined && { historyLength }),
  });
  return isPlain(activation) ? toPlainTask(task, view) : task;
}
