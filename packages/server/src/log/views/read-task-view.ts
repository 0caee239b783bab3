import { setImmediate } from "node:timers/promises";
import { emptyTaskView, reduceTaskView, type TaskView } from "@dt/schema";
import type { SessionStore } from "../../store/session-store.js";
import { cursorsOf } from "../cursor.js";
import { decodeSavedView } from "./saved-view.js";

const PAGE_EVENTS = 256;

/** The task to fold, and the position up to which it is folded. */
export interface TaskViewQuery {
  readonly taskId: string;
  readonly contextId: string;
  /** Time at which the session of the task was created. */
  readonly sessionCreatedAt: string;
  /** Position of the last event to fold. Default: the end of the log. */
  readonly upTo?: number;
}

/** Folds the view of a task at a position from the events in the store. The session does not have to be open. */
export async function readTaskView(
  store: Pick<SessionStore, "readEvents" | "findView">,
  query: TaskViewQuery,
): Promise<TaskView> {
  const { taskId, contextId, upTo = Number.POSITIVE_INFINITY } = query;
  const cursors = cursorsOf(query);
  const saved = decodeSavedView(await store.findView(taskId));
  const isUsable = saved !== undefined && saved.position <= upTo;
  let view = isUsable ? saved.view : emptyTaskView(taskId, contextId);
  let after = isUsable ? saved.position : 0;
  for (;;) {
    const page = await store.readEvents({ contextId, taskId, after, limit: PAGE_EVENTS });
    for (const logged of page) {
      if (logged.position > upTo) return view;
      const { turn: _, ...rest } = logged.event;
      view = reduceTaskView(view, { ...rest, contextId, cursor: cursors.encode(logged) });
      after = logged.position;
    }
    if (page.length < PAGE_EVENTS) return view;
    // Lets other work run between the pages of a long task.
    await setImmediate();
  }
}
