import type { SessionEvent } from "./agent-event.js";
import { reduceTaskView } from "./reduce-task-view.js";
import { isTerminalState } from "./task-state.js";
import { openQuestions, type TaskView } from "./task-view.js";

/**
 * Returns true if a task runs, asks or waits for its turn. A task that waits for a prompt counts as
 * finished.
 */
export function isUnfinished(view: TaskView): boolean {
  if (view.state === "input-required") return openQuestions(view).length > 0;
  return !isTerminalState(view.state);
}

/**
 * Folds an event of any task of a session into one view.
 *
 * A session has one turn at a time, and the view shows the task of that turn. Events of a task that
 * waits for its turn are not shown. Events of a command that runs beside the turn are shown, and do
 * not change the task and state of the view.
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
      // Later text of the turn must not be appended to the text of a command that has ended.
      isTextOpen: view.isTextOpen && !isTerminalState(event.state),
    };
  }
  // The event belongs to a command that runs beside the turn.
  if (isRunning && state !== "submitted") return reduceTaskView(view, { ...event, taskId, state });
  // The view moves to another task, and these fields described the task before it.
  const { usage: _, artifacts: __, statusParts: ___, ...kept } = view;
  return reduceTaskView({ ...kept, isTextOpen: false }, event);
}

// Removes a prompt that was shown when it was sent. The turn of the prompt begins now, so the caller
// adds the prompt again at the end.
function withoutPrompt(view: TaskView, messageId: string): TaskView {
  const items = view.items.filter(
    ({ event }) => !messageId || event.kind !== "USER_PROMPT" || event.messageId !== messageId,
  );
  return { ...view, items };
}
