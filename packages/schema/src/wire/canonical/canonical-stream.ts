import type { SessionEvent } from "../../event/agent-event.js";
import { openQuestions, type TaskView } from "../../event/task-view.js";
import { SERVER_TRAITS } from "../a2a/server-traits.js";
import type { Encoded, StreamFrame, StreamPosition, StreamStart } from "../dialect.js";
import {
  buildUpdate,
  type CanonicalVariant,
  countSnapshotItems,
  spellQueuedTaskFrame,
  spellTaskFrame,
  toBareFrame,
  toFrame,
} from "./canonical-frames.js";
import { isPlain, isShown, replyFrame } from "./plain-client.js";
import { createTextFrameEncoder, type TextEvent } from "./text-frame-codec.js";

/** State of one stream between its frames. */
export interface CanonicalMemory {
  /** Encodes text without building objects. It only saves time and does not change the frames. */
  readonly encodeText: (event: TextEvent) => string;
}

/** Encodes the frames that open a stream. */
export function startStream(
  view: TaskView,
  stream: StreamStart,
  variant: CanonicalVariant,
): Encoded<CanonicalMemory> {
  const encodeText = createTextFrameEncoder(variant.spelling, variant.activation);
  return { memory: { encodeText }, frames: startFrames(view, stream, variant) };
}

/** Encodes one event of a stream. */
export function encodeStreamEvent(
  memory: CanonicalMemory,
  event: SessionEvent,
  { isLast, covered }: StreamPosition,
  variant: CanonicalVariant,
): Encoded<CanonicalMemory> {
  const shown = isShown(event, variant.activation)
    ? [eventFrame(memory, event, isLast, variant)]
    : [];
  if (covered === undefined || !isPlain(variant.activation)) return { memory, frames: shown };
  const artifact = replyFrame(covered, variant.activation);
  const frames = artifact === undefined ? shown : [toBareFrame(artifact, variant), ...shown];
  return { memory, frames };
}

function eventFrame(
  { encodeText }: CanonicalMemory,
  event: SessionEvent,
  isLast: boolean,
  variant: CanonicalVariant,
): StreamFrame {
  if (event.kind !== "TEXT_CONTENT" || isLast) {
    const update = buildUpdate(event, variant, isLast);
    return toFrame(variant.spelling.encodeFrame({ type: "status-update", ...update }), event);
  }
  const json = encodeText(event);
  return event.cursor === undefined ? { json } : { json, cursor: event.cursor };
}

function startFrames(
  view: TaskView,
  stream: StreamStart,
  variant: CanonicalVariant,
): readonly StreamFrame[] {
  const { cursor: _, ...bare } = view;
  const bareTask = () => toFrame(spellTaskFrame(bare, variant, { historyLength: 0 }), {});
  // The specification requires a task first. Its history and cursor are omitted, because the
  // client has them or gets them with the events.
  const first = SERVER_TRAITS[variant.spelling.version].sendsTaskFirst ? [bareTask] : [];
  switch (stream.type) {
    case "message": {
      const { isNewTask, queuePosition } = stream;
      if (queuePosition > 0 && !variant.activation.session) {
        return [toFrame(spellQueuedTaskFrame(view, variant, queuePosition), view)];
      }
      // A cursor on a task that the client knows would skip the events that follow.
      return isNewTask
        ? [toFrame(spellTaskFrame(view, variant), view)]
        : first.map((make) => make());
    }
    case "repeated-question": {
      const { taskId, contextId, state, at } = view;
      const waiting = openQuestions(view);
      const event = { kind: "STATE_CHANGE" as const, waiting, taskId, contextId, state, at };
      const update = buildUpdate(event, variant, true);
      const task = first.map(() =>
        toFrame(spellTaskFrame(view, variant, { historyLength: 0 }), view),
      );
      return [...task, toBareFrame({ type: "status-update", ...update }, variant)];
    }
    case "subscription": {
      const historyLength = countSnapshotItems(view);
      return [toFrame(spellTaskFrame(view, variant, { historyLength }), view)];
    }
    case "resumed":
      return first.map((make) => make());
    case "joined":
      return [
        ...stream.others.map(({ cursor: _, ...other }) =>
          toFrame(spellTaskFrame(other, variant), {}),
        ),
        toFrame(spellTaskFrame(view, variant), view),
      ];
    case "command":
    case "events":
      return [];
  }
}
