import { isObject, TASK_VIEW_FORMAT } from "@dt/schema";
import type { StoredView } from "../../store/session-store.js";
import type { PositionedView } from "./task-views.js";

/** Encodes a view for the store, with the version of its format. */
export function encodeSavedView({ view, position, transitions }: PositionedView): StoredView {
  const { taskId, contextId } = view;
  const json = JSON.stringify({ format: TASK_VIEW_FORMAT, view, transitions });
  return { taskId, contextId, position, json };
}

/** Inverse of {@link encodeSavedView}; undefined if the view was saved in another format. */
export function decodeSavedView(saved: StoredView | undefined): PositionedView | undefined {
  if (saved === undefined) return undefined;
  const json: unknown = JSON.parse(saved.json);
  if (!isObject(json) || json.format !== TASK_VIEW_FORMAT) return undefined;
  // The cast is safe, because only encodeSavedView writes this format.
  const { view, transitions } = json as unknown as PositionedView;
  return { view, position: saved.position, transitions };
}
