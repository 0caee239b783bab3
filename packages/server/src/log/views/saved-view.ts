import { isObject, TASK_VIEW_FORMAT } from "@dt/schema";
import type { StoredView } from "../../store/session-store.js";
import type { PositionedView } from "./task-views.js";

/** Encodes a view for the store, with the version of its format. */
export function encodeSavedView({ view, position }: PositionedView): StoredView {
  const { taskId, contextId } = view;
  return { taskId, contextId, position, json: JSON.stringify({ format: TASK_VIEW_FORMAT, view }) };
}

/** Inverse of {@link encodeSavedView}; undefined if the view was saved in another format. */
export function decodeSavedView(saved: StoredView | undefined): PositionedView | undefined {
  if (saved === undefined) return undefined;
  const json: unknown = JSON.parse(saved.json);
  if (!isObject(json) || json.format !== TASK_VIEW_FORMAT) return undefined;
  return { view: json.view as PositionedView["view"], position: saved.position };
}
