import type { TaskView } from "@dt/schema";
import type { StreamFrame } from "../rpc-context.js";
import { type Dialect, encodeTaskFrame } from "./encode-frames.js";

/** About how much of a conversation a snapshot holds: what a reader that stalls holds on to. */
const MAX_BYTES = 1024 * 1024;

/** Snapshots that several observers are being sent right now. */
export interface SharedSnapshots {
  /** A view in a dialect; those who ask for the same one at a time share its text. */
  encode(view: TaskView, dialect: Dialect): StreamFrame;
}

/**
 * A snapshot may be large, and a reader that stalls holds on to it: all of them hold the same text.
 * Held weakly, so that it goes with its last reader.
 */
export function createSharedSnapshots(): SharedSnapshots {
  const views = new WeakMap<TaskView, Map<string, WeakRef<StreamFrame>>>();
  return {
    encode(view, dialect) {
      const { developmentTool, session, uris } = dialect.activation;
      const key = [dialect.spelling.version, developmentTool, session, uris.developmentTool].join(
        " ",
      );
      const known = views.get(view) ?? new Map<string, WeakRef<StreamFrame>>();
      const shared = known.get(key)?.deref();
      if (shared !== undefined) return shared;
      const frame = encodeTaskFrame(view, dialect, countItems(view));
      known.set(key, new WeakRef(frame));
      views.set(view, known);
      return frame;
    },
  };
}

/** How many of the last items come to so many bytes; one at least. The others are there for `tasks/get`. */
function countItems({ items }: TaskView): number {
  let left = MAX_BYTES;
  let count = 0;
  for (const item of items.toReversed()) {
    left -= JSON.stringify(item).length;
    if (left < 0 && count > 0) break;
    count += 1;
  }
  return Math.max(1, count);
}
