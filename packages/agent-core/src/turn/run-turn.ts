import { isTerminalStatus } from "@dt/schema";
import { runModelStep } from "./run-model-step.js";
import { runToolCalls } from "./run-tool-calls.js";
import type { TurnScope } from "./turn-scope.js";

/**
 * Asks the model, runs the tools that it wants, and repeats until it wants none.
 *
 * Starts wherever the journal left the turn: with open calls, those come first. Returns early when the
 * signal aborts; what that means is for the caller to say.
 */
export async function runTurn(scope: TurnScope): Promise<void> {
  const { recorder, signal } = scope;
  const hasOpenCalls = () =>
    (recorder.state.turn?.calls ?? []).some((call) => !isTerminalStatus(call.status));

  do {
    if (hasOpenCalls()) await runToolCalls(scope);
    if (signal.aborted) return;
    await runModelStep(scope);
  } while (hasOpenCalls() && !signal.aborted);
}
