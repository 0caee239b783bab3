import type { SessionEvent } from "./agent-event.js";
import { reduceTaskView } from "./reduce-task-view.js";
import { isTerminalState } from "./task-state.js";
import { openQuestions, type TaskView, type ViewItem } from "./task-view.js";

/** The view of a session: of the task whose turn it is, and of what happens beside that turn. */
export interface SessionView extends TaskView {
  /** The task that the last item belongs to, if it ran beside the turn. */
  readonly besideTaskId?: string;
}

/** Whether a task runs, asks or waits for its turn; one that rests without a question does not. */
export function isUnfinished(view: TaskView): boolean {
  if (view.state === "input-required") return openQuestions(view).length > 0;
  return !isTerminalState(view.state);
}

/** Whether an event belongs to something that runs beside the turn that a view shows: a command. */
export function isBeside(view: TaskView, event: SessionEvent): boolean {
  return event.taskId !== view.taskId && hasTurn(view);
}

/**
 * Folds an event of any task of a session into one view of it: a session has one turn at a time, and
 * its view is of the task whose turn it is. What happens meanwhile to a task that waits does not show;
 * what a command says that runs beside the turn does, and leaves the turn as it is. Pure.
 */
export function reduceSessionView(known: SessionView, event: SessionEvent): SessionView {
  const view = event.kind === "USER_PROMPT" ? withoutPrompt(known, event.messageId) : known;
  const { besideTaskId, ...own } = view;
  if (event.taskId === view.taskId) {
    return reduceTaskView(besideTaskId === undefined ? own : closeText(own), event);
  }
  if (isUnfinished(view) && (event.kind === "QUEUE" || event.kind === "STATE_CHANGE")) {
    const { cursor = view.cursor, error } = event;
    return {
      ...view,
      ...(event.kind === "QUEUE" && { queue: event.prompts }),
      ...(cursor !== undefined && { cursor }),
      ...(error !== undefined && hasTurn(view) && { error }),
    };
  }
  if (hasTurn(view)) {
    const { usage: _, ...beside } = event;
    const { taskId, state } = view;
    const text = besideTaskId === event.taskId ? own : closeText(own);
    const folded = reduceTaskView(text, { ...beside, taskId, state } as SessionEvent);
    return { ...folded, besideTaskId: event.taskId };
  }
  const { usage: _, ...kept } = own;
  return reduceTaskView(closeText(kept), event);
}

function hasTurn(view: TaskView): boolean {
  return view.state === "working" || openQuestions(view).length > 0;
}

function closeText(view: TaskView): TaskView {
  return { ...view, isTextOpen: false };
}

// Whoever sent it saw it at once; it stands where its turn begins.
function withoutPrompt(view: SessionView, messageId: string): SessionView {
  const isIt = ({ event }: ViewItem) =>
    event.kind === "USER_PROMPT" && event.messageId === messageId;
  if (messageId === "" || !view.items.some(isIt)) return view;
  return { ...view, items: view.items.filter((item) => !isIt(item)) };
}
