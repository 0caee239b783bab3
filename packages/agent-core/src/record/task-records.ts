import { type Caller, type OpenTaskRequest, type Ticket, toOrigin } from "@dt/schema";
import type { JournalRecord } from "./journal-record.js";
import type { Announcement, Recorder } from "./recorder.js";

/**
 * Opens a task that waits for input between its turns. From then on, clients can join the task and prompt it.
 */
export async function openTask(recorder: Recorder, taskId: string): Promise<void> {
  const { tasks, turns, openTaskId } = recorder.state;
  if (openTaskId === taskId) return;
  const isNew = tasks[taskId] === undefined;
  await recorder.commit({
    journal: [{ type: "task-opened", taskId }],
    events: isNew ? NEW_TASK : NEW_TASK.slice(1),
    turn: { turn: turns, taskId },
  });
}

/**
 * Events of a new task that waits for a prompt. Each state change must be legal (SRV-07), so `working` comes
 * before `input-required`, and a new task starts with `submitted`.
 */
const NEW_TASK: readonly Announcement[] = [
  { kind: "STATE_CHANGE", state: "submitted" },
  { kind: "STATE_CHANGE", state: "working" },
  { kind: "STATE_CHANGE", state: "input-required" },
];

/**
 * Creates a task that waits for its first prompt in `input-required`. A task that stayed `submitted` would
 * count as pending, so its session would never leave memory. If the task exists, only its mode is set.
 */
export async function createTask(
  recorder: Recorder,
  { taskId, taskMode: mode }: Pick<OpenTaskRequest, "taskId" | "taskMode">,
  caller: Caller,
): Promise<Ticket> {
  const { tasks, turns } = recorder.state;
  const turn = { turn: turns, taskId };
  const isNew = tasks[taskId] === undefined;
  const { principal } = toOrigin(caller);
  const { credential } = caller;
  const sender = { principal, ...(credential !== undefined && { credential }) };
  const journal: readonly JournalRecord[] = [
    ...(isNew ? [{ type: "task-created" as const, taskId }] : []),
    ...(mode === undefined ? [] : [{ type: "task-mode-set" as const, taskId, ...sender, mode }]),
  ];
  const afterPosition = await recorder.commit({
    turn,
    ...(journal.length > 0 && { journal }),
    ...(isNew && { events: NEW_TASK }),
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
