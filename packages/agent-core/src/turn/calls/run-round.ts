import type { ToolCall } from "@dt/schema";
import { type CommandCall, CommandError } from "../../commands/command.js";
import { toToolInput } from "../../model/parse-tool-input.js";
import type { CallScope } from "../turn-scope.js";
import { runToolCalls } from "./run-tool-calls.js";

/**
 * Runs calls that a command or a prelude requests. These calls ask for permission like other calls, but the model
 * does not see them. Resolves with the ended calls, or with undefined if the turn stops before they have ended.
 */
export async function runRound(
  calls: readonly CommandCall[],
  scope: CallScope,
): Promise<readonly ToolCall[] | undefined> {
  const { recorder, createId } = scope;
  const round = recorder.state.turn?.rounds.length ?? 0;
  // After a restart the calls of this round exist already, so they are not requested again.
  if (recorder.state.turn?.calls.length === 0) {
    for (const { toolName, input } of calls) {
      const { inputError } = toToolInput(input);
      if (inputError !== undefined) throw new CommandError(`${toolName}: ${inputError}`);
    }
    const requested = calls.map(
      ({ toolName, input }): ToolCall => ({
        toolCallId: createId(),
        toolName,
        status: "PENDING",
        inputParameters: input,
        result: undefined,
      }),
    );
    await recorder.commit({ journal: [{ type: "calls-requested", calls: requested }] });
  }
  await runToolCalls(scope);
  return recorder.state.turn?.rounds[round];
}
