import type { AccessChange } from "@dt/schema";
import { announcedState } from "./prompt-records.js";
import type { Recorder } from "./recorder.js";

/**
 * Announces a change of the access to the session, in the task of the running turn or else in the last task. Returns
 * false if the session has no task.
 */
export async function recordAccess(recorder: Recorder, access: AccessChange): Promise<boolean> {
  const { state } = recorder;
  const running = state.turn?.prompt;
  const taskId = running?.taskId ?? Object.keys(state.tasks).at(-1);
  if (taskId === undefined) return false;
  await recorder.commit({
    events: [{ kind: "ACCESS", access, state: announcedState(state, { taskId }) }],
    turn: { turn: running?.turn ?? state.turns, taskId },
  });
  return true;
}
