import { setImmediate } from "node:timers/promises";
import { emptyTaskView, reduceTaskView, type TaskView } from "@dt/schema";
import type { SessionStore } from "../../store/session-store.js";
import { cursorsOf } from "../cursor.js";
import { decodeKeptView } from "./saved-view.js";

const PAGE = 256;

/** Which task to fold, and how far. */
export interface TaskViewQuery {
  readonly taskId: string;
  readonly contextId: string;
  /** When its session was created. */
  readonly sessionCreatedAt: string;
  /** The last place that counts. Default: all of them. */
  readonly upTo?: number;
}

/** A task as it stood at a place, folded from the store: its session need not be open. */
export async function readTaskView(
  store: Pick<SessionStore, "readEvents" | "findView">,
  query: TaskViewQuery,
): Promise<TaskView> {
  const { taskId, contextId, upTo = Number.POSITIVE_INFINITY } = query;
  const cursors = cursorsOf(query);
  const kept = decodeKeptView(await store.findView(taskId));
  const isUsable = kept !== undefined && kept.position <= upTo;
  let view = isUsable ? kept.view : emptyTaskView(taskId, contextId);
  let after = isUsable ? kept.position : 0;
  for (;;) {
    const page = await store.readEvents({ contextId, taskId, after, limit: PAGE });
    for (const logged of page) {
      if (logged.position > upTo) return view;
      const { turn: _, ...rest } = logged.event;
      view = reduceTaskView(view, { ...rest, contextId, cursor: cursors.encode(logged) });
      after = logged.position;
    }
    if (page.length < PAGE) return view;
    // A long task must not keep everyone else waiting.
    await setImmediate();
  }
}
