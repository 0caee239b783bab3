import type { TaskView } from "@dt/schema";
import { type A2aSpelling, type Activation, encodeEvent, encodeTask } from "@dt/schema/wire";
import type { LoggedEvent } from "../log/session-log.js";
import type { StreamFrame } from "./rpc-context.js";

/** The version and extensions of one observer. */
export interface Dialect {
  readonly spelling: A2aSpelling;
  readonly activation: Activation;
}

/** An event in an observer's dialect; its text is written once for all who share the dialect. */
export function encodeEventFrame(
  { event, encoded }: LoggedEvent,
  { spelling, activation }: Dialect,
  isFinal: boolean,
): StreamFrame {
  const { developmentTool, session } = activation;
  const key = `${spelling.version} ${developmentTool} ${session} ${isFinal}`;
  let json = encoded.get(key);
  if (json === undefined) {
    const update = encodeEvent(event, activation, isFinal);
    json = JSON.stringify(spelling.encodeFrame({ type: "status-update", ...update }));
    encoded.set(key, json);
  }
  return event.cursor === undefined ? { json } : { json, cursor: event.cursor };
}

/** A task in an observer's dialect. */
export function encodeTaskFrame(
  view: TaskView,
  { spelling, activation }: Dialect,
  historyLength?: number,
): StreamFrame {
  const task = encodeTask(view, {
    activation,
    ...(historyLength !== undefined && { historyLength }),
  });
  const json = JSON.stringify(spelling.encodeFrame({ type: "task", task }));
  return view.cursor === undefined ? { json } : { json, cursor: view.cursor };
}
