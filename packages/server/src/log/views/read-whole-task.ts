import { setImmediate } from "node:timers/promises";
import { emptyTaskView, reduceTaskView, type TaskView, type ViewItem } from "@dt/schema";
import type { SessionStore } from "../../store/session-store.js";
import { cursorsOf } from "../cursor.js";
import type { TaskViewQuery } from "./read-task-view.js";

const PAGE_EVENTS = 256;

/** Folds a task from the store with all of its items. Other views have only the last items. */
export async function readWholeTask(
  store: Pick<SessionStore, "readEvents">,
  query: Omit<TaskViewQuery, "upTo">,
): Promise<TaskView> {
  const { taskId, contextId } = query;
  const cursors = cursorsOf(query);
  const older: ViewItem[] = [];
  let view = emptyTaskView(taskId, contextId);
  let after = 0;
  for (;;) {
    const page = await store.readEvents({ contextId, taskId, after, limit: PAGE_EVENTS });
    for (const logged of page) {
      const { turn: _, ...rest } = logged.event;
      const next = reduceTaskView(view, { ...rest, contextId, cursor: cursors.encode(logged) });
      older.push(...view.items.slice(0, next.earlierItems - view.earlierItems));
      view = next;
      after = logged.position;
    }
    if (page.length < PAGE_EVENTS) break;
    // Lets other work run between the pages of a long task.
    await setImmediate();
  }
  return { ...view, items: joinCalls([...older, ...view.items]), earlierItems: 0 };
}

// Keeps one item per call. During the fold, the view holds only the last items. If the item of a call leaves the view
// before the call ends, the next update adds a second item for this call. The joined item has the content of the second
// one, with the position and the time of the first one.
function joinCalls(items: readonly ViewItem[]): readonly ViewItem[] {
  const joined = new Map<string, ViewItem>();
  for (const [index, item] of items.entries()) {
    const { event } = item;
    const key = event.kind === "TOOL_CALL_UPDATE" ? event.toolCall.toolCallId : `item ${index}`;
    const first = joined.get(key);
    joined.set(key, first === undefined ? item : { ...item, at: first.at });
  }
  return [...joined.values()];
}
