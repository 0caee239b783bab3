import { setTimeout as sleep } from "node:timers/promises";
import { type CommandTicket, isWaiting } from "@dt/schema";
import type { Recorder } from "../record/recorder.js";

/** How long the answer waits for the command's first question. */
const PATIENCE_MS = 250;

/**
 * How a command began: it waits for someone's word on a shell command or on something else, or it is
 * on its way. Resolves as soon as that is known; one that waits behind other turns has started.
 */
export async function commandBeginning(
  turn: number,
  recorder: Recorder,
): Promise<Pick<CommandTicket, "status" | "message">> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const running = recorder.state.turn;
    if (running?.prompt.turn !== turn || running.isModelAsked) break;
    const question = running.calls.find(isWaiting);
    if (question !== undefined) {
      const isShell = question.confirmationRequest?.details?.$case === "executeDetails";
      return {
        status: isShell ? "AWAITING_SHELL_CONFIRMATION" : "AWAITING_ACTION_CONFIRMATION",
        message: question.description ?? question.toolName,
      };
    }
    if (running.calls.some((call) => call.status === "EXECUTING")) break;
    if (Date.now() >= deadline) break;
    await Promise.race([recorder.nextChange(), sleep(Math.max(1, deadline - Date.now()))]);
  }
  return { status: "STARTED", message: "" };
}
