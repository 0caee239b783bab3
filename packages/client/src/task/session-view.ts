import {
  isTerminalState,
  MAX_VIEW_ITEMS,
  openQuestions,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
  type ViewItem,
} from "@dt/schema";

/** Whether a task runs, asks or waits for its turn; one that rests without a question does not. */
export function isUnfinished(view: TaskView): boolean {
  if (view.state === "input-required") return openQuestions(view).length > 0;
  return !isTerminalState(view.state);
}

/** Whether nothing is under way: the task has ended, or rests without a question, and no prompt waits. */
export function isAtRest(view: TaskView): boolean {
  return !isUnfinished(view) && view.queue.length === 0;
}

/**
 * Folds an event of any task of a session into one view of it: a session has one turn at a time, and
 * its view is of the task whose turn it is. What happens meanwhile to a task that waits does not show.
 */
export function reduceSessionView(known: TaskView, event: SessionEvent): TaskView {
  const view = event.kind === "USER_PROMPT" ? withoutPrompt(known, event.messageId) : known;
  if (event.taskId === view.taskId) return reduceTaskView(view, event);
  const { cursor = view.cursor } = event;
  const waits = event.kind === "QUEUE" || event.kind === "STATE_CHANGE";
  if (waits && isUnfinished(view)) {
    const queue = event.kind === "QUEUE" ? event.prompts : view.queue;
    return { ...view, queue, ...(cursor !== undefined && { cursor }) };
  }
  const { usage: _, ...kept } = view;
  return reduceTaskView({ ...kept, isTextOpen: false }, event);
}

// Whoever sent it saw it at once; it stands where its turn begins.
function withoutPrompt(view: TaskView, messageId: string): TaskView {
  const isIt = ({ event }: ViewItem) =>
    event.kind === "USER_PROMPT" && event.messageId === messageId;
  if (messageId === "" || !view.items.some(isIt)) return view;
  return { ...view, items: view.items.filter((item) => !isIt(item)) };
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
