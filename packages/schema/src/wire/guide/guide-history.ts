import type { SessionEvent } from "../../event/agent-event.js";
import { openQuestions, type TaskView } from "../../event/task-view.js";

/**
 * Returns the events that a joining client gets: open questions that are older than the history, the
 * history, and the open questions of other tasks.
 */
export function historyOf(view: TaskView, others: readonly TaskView[]): readonly SessionEvent[] {
  const { taskId, contextId, state, items } = view;
  const shown = new Set(
    items.map(({ event }) => event.kind === "TOOL_CALL_UPDATE" && event.toolCall.toolCallId),
  );
  // An open question may be older than the items of the view.
  const older = questionsOf(view).filter(({ toolCall }) => !shown.has(toolCall.toolCallId));
  const history = items.map(({ at, event }) => ({ ...event, taskId, contextId, state, at }));
  return [...older, ...history, ...others.flatMap(questionsOf)];
}

function questionsOf(view: TaskView) {
  const { taskId, contextId, state, at } = view;
  return openQuestions(view).map((toolCall) => {
    return { kind: "TOOL_CALL_UPDATE" as const, toolCall, taskId, contextId, state, at };
  });
}
