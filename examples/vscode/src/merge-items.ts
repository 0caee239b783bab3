import type { TaskView, ViewItem } from "@dt/client";

/** Merges the items of several tasks in order of time. */
export function mergeItems(views: readonly TaskView[]): readonly ViewItem[] {
  const items = views.flatMap((view) => view.items);
  return items.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
}
