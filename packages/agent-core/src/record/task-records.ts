import type { Ticket } from "@dt/schema";
import type { Recorder } from "./recorder.js";

/**
 * Opens the task that waits for input between its turns. Clients can join and prompt it from now
 * on.
 */
export async function openTask(recorder: Recorder, taskId: string): Promise<void> {
  const { tasks, turns, openTaskId } = recorder.state;
  if (openTaskId === taskId) return;
  // Each state change must be legal (SRV-07), so `working` comes before `input-required`, and a new task starts
  // with `submitted`.
  const isNew = tasks[taskId] === undefined;
  await recorder.commit({
    journal: [{ type: "task-opened", taskId }],
    events: [
      ...(isNew ? [{ kind: "STATE_CHANGE" as const, state: "submitted" as const }] : []),
      { kind: "STATE_CHANGE" },
      { kind: "STATE_CHANGE", state: "input-required" },
    ],
    turn: { turn: turns, taskId },
  });
}

/** Creates a task that waits for its first prompt. An existing task is not changed. */
export async function createTask(recorder: Recorder, taskId: string): Promise<Ticket> {
  const { tasks, turns } = recorder.state;
  const turn = { turn: turns, taskId };
  const isNew = tasks[taskId] === undefined;
  const afterPosition = await recorder.commit({
    turn,
    ...(isNew && {
      journal: [{ type: "task-created", taskId }],
      events: [{ kind: "STATE_CHANGE", state: "submitted" }],
    }),
  });
  return { ...turn, afterPosition };
}

/** Completes the open task. */
export async function closeTask(recorder: Recorder): Promise<void> {
  const { openTaskId: taskId, turns } = recorder.state;
  if (taskId === undefined) return;
  await recorder.commit({
    journal: [{ type: "task-closed" }],
    events: [{ kind: "STATE_CHANGE", state: "completed" }],
    turn: { turn: turns, taskId },
  });
}
