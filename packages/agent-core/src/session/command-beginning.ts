import { type CommandTicket, isWaiting } from "@dt/schema";
import type { Recorder } from "../record/recorder.js";

/**
 * How a command began: it waits for someone's word on a shell command or on something else, or it is
 * on its way. Resolves as soon as that is known; one that waits behind other turns has started.
 */
export async function commandBeginning(
  turn: number,
  recorder: Recorder,
): Promise<Pick<CommandTicket, "status" | "message">> {
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
    await recorder.nextChange();
  }
  return { status: "STARTED", message: "" };
}
