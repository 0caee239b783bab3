import { isObject, TASK_VIEW_FORMAT } from "@dt/schema";
import type { StoredView } from "../../store/session-store.js";
import type { PlacedView } from "./task-views.js";

/** A view as it is kept: with the format that it has. */
export function encodeKeptView({ view, position }: PlacedView): StoredView {
  const { taskId, contextId } = view;
  return { taskId, contextId, position, json: JSON.stringify({ format: TASK_VIEW_FORMAT, view }) };
}

/** Inverse of {@link encodeKeptView}; undefined for one of another format, which is folded anew. */
export function decodeKeptView(kept: StoredView | undefined): PlacedView | undefined {
  if (kept === undefined) return undefined;
  const json: unknown = JSON.parse(kept.json);
  if (!isObject(json) || json.format !== TASK_VIEW_FORMAT) return undefined;
  return { view: json.view as PlacedView["view"], position: kept.position };
}
