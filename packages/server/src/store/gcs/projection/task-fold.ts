import {
  emptyTaskView,
  type FileDiff,
  reduceTaskView,
  type StampedEvent,
  type TaskView,
} from "@dt/schema";
import type { LogEvent, TaskRecord } from "../../session-store.js";

/** A task as it was at a position, and the files that tools wrote since the last projection. */
export interface TaskFold {
  readonly view: TaskView;
  readonly position: number;
  readonly files: ReadonlyMap<string, FileDiff>;
}

/** The fold of a task without events. */
export function startFold({ taskId, contextId }: TaskRecord): TaskFold {
  return { view: emptyTaskView(taskId, contextId), position: 0, files: new Map() };
}

/** Folds further events of the task. */
export function extendFold(fold: TaskFold, events: readonly LogEvent[]): TaskFold {
  const { contextId } = fold.view;
  const files = new Map(fold.files);
  let { view, position } = fold;
  for (const logged of events) {
    const { turn: _, ...event } = logged.event;
    view = reduceTaskView(view, { ...event, contextId });
    position = logged.position;
    const written = writtenFileOf(logged.event);
    if (written !== undefined) files.set(written.filePath, written);
  }
  return { view, position, files };
}

function writtenFileOf(event: StampedEvent): FileDiff | undefined {
  if (event.kind !== "TOOL_CALL_UPDATE") return undefined;
  const { result } = event.toolCall;
  const output = result?.$case === "output" ? result.value.result : undefined;
  return output?.$case === "diff" ? output.value : undefined;
}
