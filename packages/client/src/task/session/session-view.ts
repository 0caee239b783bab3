import {
  isTerminalState,
  isUnfinished,
  MAX_VIEW_ITEMS,
  reduceTaskView,
  type TaskView,
} from "@dt/schema";

/** Whether nothing is under way: the task has ended, or rests without a question, and no prompt waits. */
export function isAtRest(view: TaskView): boolean {
  return !isUnfinished(view) && view.queue.length === 0;
}

/**
 * What was said in the tasks of a session, in the order in which it was said, and how things stand: as
 * the task says whose turn it is.
 */
export function joinTasks(tasks: readonly TaskView[], current: TaskView): TaskView {
  const all = [...tasks, current];
  const items = all.flatMap((task) => task.items).sort((one, other) => compare(one.at, other.at));
  const earlier = all.reduce((sum, { earlierItems }) => sum + earlierItems, 0);
  const room = Math.max(0, items.length - MAX_VIEW_ITEMS);
  const isTextOpen = current.isTextOpen && !isTerminalState(current.state);
  return { ...current, items: items.slice(room), earlierItems: earlier + room, isTextOpen };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** The conversation goes on: what was said before stays, whichever task it belongs to. */
export function continueView(view: TaskView, next: TaskView): TaskView {
  const { taskId, contextId, state } = next;
  const { error: _, usage: __, ...kept } = view;
  const said = next.items.map(({ event, at }) => ({ ...event, taskId, contextId, state, at }));
  const { items, earlierItems, isTextOpen } = said.reduce(reduceTaskView, kept as TaskView);
  const isOpen = isTextOpen && !isTerminalState(state);
  return { ...kept, ...next, items, earlierItems, isTextOpen: isOpen };
}
