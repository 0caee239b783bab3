import type { SessionEvent } from "../../event/agent-event.js";
import { openQuestions, type TaskView } from "../../event/task-view.js";
import { SERVER_TRAITS } from "../a2a/server-traits.js";
import type { Encoded, StreamFrame, StreamPosition, StreamStart } from "../dialect.js";
import {
  buildEventFrame,
  type CanonicalVariant,
  countSnapshotItems,
  spellQueuedTaskFrame,
  spellTaskFrame,
  toBareFrame,
  toFrame,
} from "./canonical-frames.js";
import { encodeMirrors, encodeTextChunk } from "./mirror-artifacts.js";
import { isPlain, isShown } from "./plain-client.js";
import { createTextFrameEncoder, type TextEvent } from "./text-frame-codec.js";

/** State of one stream between its frames. */
export interface CanonicalMemory {
  // These two encoders save time, because they build no objects. The frames are the same as without
  // them.
  readonly encodeText: (event: TextEvent) => string;
  /** Encodes text that continues the reply, as a chunk of the reply's artifact. */
  readonly encodeChunk: (event: TextEvent) => string;
}

/** Encodes the frames that open a stream. */
export function startStream(
  view: TaskView,
  stream: StreamStart,
  variant: CanonicalVariant,
): Encoded<CanonicalMemory> {
  const { spelling } = variant;
  const memory: CanonicalMemory = {
    encodeText: createTextFrameEncoder((event) =>
      JSON.stringify(spelling.encodeFrame(buildEventFrame(event, variant, false))),
    ),
    encodeChunk: createTextFrameEncoder((event) => {
      const update = encodeTextChunk(event);
      return JSON.stringify(spelling.encodeFrame({ type: "artifact-update", ...update }));
    }),
  };
  return { memory, frames: startFrames(view, stream, variant) };
}

/** Encodes one event of a stream. */
export function encodeStreamEvent(
  memory: CanonicalMemory,
  event: SessionEvent,
  { isLast, reply }: StreamPosition,
  variant: CanonicalVariant,
): Encoded<CanonicalMemory> {
  if (!isShown(event, variant.activation)) return { memory, frames: [] };
  const frame = eventFrame(memory, event, isLast, variant);
  if (!isPlain(variant.activation)) return { memory, frames: [frame] };
  // The cursor is in the last frame, so that a client that has the cursor has the other frames too.
  return { memory, frames: [...mirrorFrames(memory, event, reply, variant), frame] };
}

function mirrorFrames(
  { encodeChunk }: CanonicalMemory,
  event: SessionEvent,
  reply: StreamPosition["reply"],
  variant: CanonicalVariant,
): readonly StreamFrame[] {
  if (event.kind === "TEXT_CONTENT" && reply === "open" && isTextAlone(event)) {
    return [{ json: encodeChunk(event) }];
  }
  return encodeMirrors(event, reply).map((update) =>
    toBareFrame({ type: "artifact-update", ...update }, variant),
  );
}

function isTextAlone({ text, attachments }: TextEvent): boolean {
  return text !== "" && attachments === undefined;
}

function eventFrame(
  { encodeText }: CanonicalMemory,
  event: SessionEvent,
  isLast: boolean,
  variant: CanonicalVariant,
): StreamFrame {
  if (event.kind !== "TEXT_CONTENT" || isLast) {
    return toFrame(variant.spelling.encodeFrame(buildEventFrame(event, variant, isLast)), event);
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
  // A2A 1.0 requires that every stream begins with the task. The task's history and cursor are omitted,
  // because the client has them or gets them with the events.
  const first = SERVER_TRAITS[variant.spelling.version].sendsTaskFirst ? [bareTask] : [];
  switch (stream.type) {
    case "message": {
      const { isNewTask, queuePosition } = stream;
      if (queuePosition > 0 && !variant.activation.session) {
        return [toFrame(spellQueuedTaskFrame(view, variant, queuePosition), view)];
      }
      // A task that the client knows is sent without its cursor, because a client that resumed from that
      // cursor could skip events of this stream.
      return isNewTask
        ? [toFrame(spellTaskFrame(view, variant), view)]
        : first.map((make) => make());
    }
    case "repeated-question": {
      const { taskId, contextId, state, at } = view;
      const waiting = openQuestions(view);
      const words = view.statusParts && { statusParts: view.statusParts };
      const header = { taskId, contextId, state, at };
      const event = { kind: "STATE_CHANGE" as const, waiting, ...words, ...header };
      const task = first.map(() =>
        toFrame(spellTaskFrame(view, variant, { historyLength: 0 }), view),
      );
      const mirrors = isPlain(variant.activation) ? encodeMirrors(event, undefined) : [];
      return [
        ...task,
        ...mirrors.map((update) => toBareFrame({ type: "artifact-update", ...update }, variant)),
        toBareFrame(buildEventFrame(event, variant, true), variant),
      ];
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
