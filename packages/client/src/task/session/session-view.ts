import {
  isTerminalState,
  isUnfinished,
  MAX_VIEW_ITEMS,
  reduceTaskView,
  type TaskView,
} from "@dt/schema";

/** Returns true if the task has ended or is idle, and no prompt is queued. */
export function isIdleView(view: TaskView): boolean {
  return !isUnfinished(view) && view.queue.length === 0;
}

/** Joins the items of all tasks of a session in order of time. The result has the state of `current`. */
export function joinTasks(tasks: readonly TaskView[], current: TaskView): TaskView {
  const all = [...tasks, current];
  const items = all.flatMap((task) => task.items).sort((one, other) => compare(one.at, other.at));
  const earlier = all.reduce((sum, { earlierItems }) => sum + earlierItems, 0);
  const excess = Math.max(0, items.length - MAX_VIEW_ITEMS);
  const isTextOpen = current.isTextOpen && !isTerminalState(current.state);
  return { ...current, items: items.slice(excess), earlierItems: earlier + excess, isTextOpen };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Continues a conversation in another task, whose items follow the items of the view so far. */
export function continueView(view: TaskView, next: TaskView): TaskView {
  const { taskId, contextId, state } = next;
  const { error: _, usage: __, ...kept } = view;
  const events = next.items.map(({ event, at }) => ({ ...event, taskId, contextId, state, at }));
  const { items, earlierItems, isTextOpen } = events.reduce(reduceTaskView, kept as TaskView);
  const isOpen = isTextOpen && !isTerminalState(state);
  return { ...kept, ...next, items, earlierItems, isTextOpen: isOpen };
}
