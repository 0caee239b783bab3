import type { SessionEvent } from "./agent-event.js";
import { reduceTaskView } from "./reduce-task-view.js";
import { isTerminalState } from "./task-state.js";
import { openQuestions, type TaskView } from "./task-view.js";

/** Whether a task runs, asks or waits for its turn; one that rests without a question does not. */
export function isUnfinished(view: TaskView): boolean {
  if (view.state === "input-required") return openQuestions(view).length > 0;
  return !isTerminalState(view.state);
}

/**
 * Folds an event of any task of a session into one view of it: a session has one turn at a time, and
 * its view is of the task whose turn it is. What happens meanwhile to a task that waits does not show;
 * what a command says that runs beside the turn does, and leaves the turn as it is. Pure.
 */
export function reduceSessionView(known: TaskView, event: SessionEvent): TaskView {
  const view = event.kind === "USER_PROMPT" ? withoutPrompt(known, event.messageId) : known;
  const { taskId, state } = view;
  if (event.taskId === taskId) return reduceTaskView(view, event);
  const isRunning = isUnfinished(view);
  const isQueue = event.kind === "QUEUE";
  if (isRunning && (isQueue || event.kind === "STATE_CHANGE")) {
    const { cursor, error } = event;
    return {
      ...view,
      ...(isQueue && { queue: event.prompts }),
      ...(cursor && { cursor }),
      ...(error && { error }),
      // What the turn says next is no more of what a command said that has ended.
      isTextOpen: view.isTextOpen && !isTerminalState(event.state),
    };
  }
  // A command runs beside the turn.
  if (isRunning && state !== "submitted") return reduceTaskView(view, { ...event, taskId, state });
  const { usage: _, ...kept } = view;
  return reduceTaskView({ ...kept, isTextOpen: false }, event);
}

// Whoever sent it saw it at once; it stands where its turn begins.
function withoutPrompt(view: TaskView, messageId: string): TaskView {
  const items = view.items.filter(
    ({ event }) => !messageId || event.kind !== "USER_PROMPT" || event.messageId !== messageId,
  );
  return { ...view, items };
}
