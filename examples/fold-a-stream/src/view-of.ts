import { DEFAULT_EXTENSION_URIS, emptyTaskView, reduceTaskView, type TaskView } from "@dt/schema";
import { decodeEventFrame, decodeTask, spellings } from "@dt/schema/wire";

/** Folds the JSON frames of an A2A 1.0 stream into the view that a screen shows. */
export function viewOf(frames: Iterable<unknown>): TaskView {
  let view = emptyTaskView("", "");
  for (const json of frames) {
    const frame = spellings["1.0"].decodeFrame(json, "frame");
    if (frame.type === "task") view = decodeTask(frame.task, DEFAULT_EXTENSION_URIS);
    if (frame.type === "status-update" || frame.type === "artifact-update") {
      view = reduceTaskView(view, decodeEventFrame(frame, DEFAULT_EXTENSION_URIS, view));
    }
  }
  return view;
}
