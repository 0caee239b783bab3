import type { CommandReply } from "@dt/schema";
import { isAsking } from "../record/calls/open-call.js";
import type { Recorder } from "../record/recorder.js";

type CommandStartStatus = Pick<CommandReply, "status" | "message">;

/** Options of {@link waitForCommandStart}. */
export interface CommandStartOptions {
  readonly recorder: Recorder;
  /** The turn that runs the command. */
  readonly turn: number;
  /** Aborts when the session closes. */
  readonly signal: AbortSignal;
}

/**
 * Waits until a tool call of the command has asked its question, or until it is clear that the
 * command starts without a question.
 *
 * The result depends only on committed state, never on a timer. A command that is queued behind
 * another turn is reported as started, because its question comes later.
 */
export async function waitForCommandStart({
  recorder,
  turn,
  signal,
}: CommandStartOptions): Promise<CommandStartStatus> {
  while (!signal.aborted) {
    // flush() rejects if the store refused a commit. Without this call, the loop would then wait
    // forever.
    await recorder.flush();
    const running = recorder.state.turn;
    if (running?.prompt.turn !== turn || running.isModelAsked) break;
    const question = running.calls.find(isAsking)?.toolCall;
    if (question !== undefined) {
      const isShell = question.confirmationRequest?.details?.$case === "executeDetails";
      return {
        status: isShell ? "AWAITING_SHELL_CONFIRMATION" : "AWAITING_ACTION_CONFIRMATION",
        message: question.description ?? question.toolName,
      };
    }
    const hasBegun = running.calls.some(({ toolCall }) => toolCall.status === "EXECUTING");
    if (hasBegun || running.rounds.length > 0) break;
    await recorder.nextChange(signal);
  }
  return { status: "STARTED", message: "" };
}
