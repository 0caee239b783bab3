import {
  isTerminalState,
  isUnfinished,
  MAX_VIEW_ITEMS,
  reduceTaskView,
  type TaskView,
  type ViewItem,
} from "@dt/schema";

/** Returns true if the task has ended or is idle, and no prompt is queued. */
export function isIdleView(view: TaskView): boolean {
  return !isUnfinished(view) && view.queue.length === 0;
}

/** Joins the items of all tasks of a session in order of time. The result has the state of `current`. */
export function joinTasks(tasks: readonly TaskView[], current: TaskView): TaskView {
  const all = [...tasks, current];
  const items = mergeItems(all.map((task) => [...task.items]));
  const earlier = all.reduce((sum, { earlierItems }) => sum + earlierItems, 0);
  const excess = Math.max(0, items.length - MAX_VIEW_ITEMS);
  const isTextOpen = current.isTextOpen && !isTerminalState(current.state);
  return { ...current, items: items.slice(excess), earlierItems: earlier + excess, isTextOpen };
}

/**
 * Merges the items of tasks by time. The turns of a session run one after another, so of items of the same
 * millisecond, those of the running turn come before the prompt of the next one. Empties the given lists.
 */
function mergeItems(lists: ViewItem[][]): readonly ViewItem[] {
  const merged: ViewItem[] = [];
  let running: ViewItem[] | undefined;
  for (;;) {
    const heads = lists.flatMap((list) => (list[0] ? [{ list, first: list[0] }] : []));
    const time = heads.map(({ first }) => first.at).sort()[0];
    const next = heads.filter(({ first }) => first.at === time);
    const goingOn = next.filter(({ first }) => first.event.kind !== "USER_PROMPT");
    const taken = goingOn.find(({ list }) => list === running) ?? goingOn[0] ?? next[0];
    if (taken === undefined) return merged;
    running = taken.list;
    running.shift();
    merged.push(taken.first);
  }
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
