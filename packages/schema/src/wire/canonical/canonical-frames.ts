import type { SessionEvent } from "../../event/agent-event.js";
import type { TaskView } from "../../event/task-view.js";
import { isObject, type JsonObject } from "../../validation/message-json.js";
import type { A2aFrame, A2aSpelling, A2aTask } from "../a2a/a2a.js";
import type { StreamFrame, TaskOptions } from "../dialect.js";
import type { Activation } from "./event-codec.js";
import { type EventFrame, encodeEventFrame } from "./event-frame-codec.js";
import { isPlain, toPlainTask, toPlainUpdate } from "./plain-client.js";
import { encodeTask } from "./task-codec.js";

/** One variant of A2A: a version, and the extensions that the client activated. */
export interface CanonicalVariant {
  readonly spelling: A2aSpelling;
  readonly activation: Activation;
}

/**
 * Maximum size of the history in a snapshot. It is limited, because each snapshot stays in memory until its
 * subscriber has read it.
 */
const MAX_SNAPSHOT_BYTES = 1024 * 1024;

/** Converts an event to a frame with the client's extensions, independent of the version's spelling. */
export function buildEventFrame(
  event: SessionEvent,
  { activation }: Pick<CanonicalVariant, "activation">,
  isFinal: boolean,
): EventFrame {
  const frame = encodeEventFrame(event, activation, isFinal);
  if (frame.type !== "status-update" || !isPlain(activation)) return frame;
  return { type: frame.type, ...toPlainUpdate(frame, event) };
}

/** Converts a view to a task with the client's extensions, independent of the version's spelling. */
export function buildTask(
  view: TaskView,
  { activation, spelling }: CanonicalVariant,
  { historyLength, transitions }: TaskOptions = {},
): A2aTask {
  const task = encodeTask(view, {
    activation,
    ...(historyLength !== undefined && { historyLength }),
  });
  const shown = isPlain(activation) ? toPlainTask(task, view) : task;
  if (transitions === undefined) return shown;
  // A2A has a capability for transitions (`stateTransitionHistory`) but no field. So the
  // transitions are under the key of the session extension, even if the client did not activate it.
  const key = activation.uris.session;
  const info = shown.metadata?.[key];
  const spelled = transitions.map(({ state, at }) => ({
    state: spelling.encodeState(state),
    timestamp: at,
  }));
  return {
    ...shown,
    metadata: {
      ...shown.metadata,
      [key]: { ...(isObject(info) && info), transitions: spelled },
    },
  };
}

/** Encodes a task as a frame. */
export function spellTaskFrame(
  view: TaskView,
  variant: CanonicalVariant,
  options?: TaskOptions,
): JsonObject {
  return variant.spelling.encodeFrame({ type: "task", task: buildTask(view, variant, options) });
}

/** Encodes a task whose prompt is queued, without its history. The status has the prompt's queue position. */
export function spellQueuedTaskFrame(
  view: TaskView,
  variant: CanonicalVariant,
  queuePosition: number,
): JsonObject {
  const { spelling, activation } = variant;
  const task = buildTask(view, variant, { historyLength: 0 });
  const prompts = queuePosition === 1 ? "prompt" : "prompts";
  const message = {
    messageId: `${view.taskId}:${view.cursor ?? "status"}:queued-${queuePosition}`,
    role: "agent" as const,
    parts: [{ type: "text" as const, text: `queued behind ${queuePosition} ${prompts}` }],
    taskId: view.taskId,
    contextId: view.contextId,
    ...(activation.developmentTool && {
      metadata: { [activation.uris.developmentTool]: { kind: "STATE_CHANGE" } },
    }),
  };
  return spelling.encodeFrame({
    type: "task",
    task: { ...task, status: { ...task.status, message } },
  });
}

/** Encodes a frame as JSON text, with the cursor of its event or view, if the event or view has one. */
export function toFrame(
  spelled: JsonObject,
  { cursor }: { readonly cursor?: string },
): StreamFrame {
  const json = JSON.stringify(spelled);
  return cursor === undefined ? { json } : { json, cursor };
}

/** Encodes a frame as JSON text, without a cursor. */
export function toBareFrame(frame: A2aFrame, { spelling }: CanonicalVariant): StreamFrame {
  return { json: JSON.stringify(spelling.encodeFrame(frame)) };
}

/** Counts how many of the last items fit into a snapshot; at least one. `tasks/get` returns all items. */
export function countSnapshotItems({ items }: TaskView): number {
  let left = MAX_SNAPSHOT_BYTES;
  let count = 0;
  for (const item of items.toReversed()) {
    left -= JSON.stringify(item).length;
    if (left < 0 && count > 0) break;
    count += 1;
  }
  return Math.max(1, count);
}
