import { isTerminalStatus } from "@dt/schema";
import { type AdmittedCall, admitToolCall } from "./admit-tool-call.js";
import { executeToolCall } from "./execute-tool-call.js";
import type { TurnScope } from "./turn-scope.js";

/**
 * Takes the calls of one step to their end. All of them ask first; then those that only look run side
 * by side, the others one after another in the order that the model asked for.
 */
export async function runToolCalls(scope: TurnScope): Promise<void> {
  const admitted: AdmittedCall[] = [];
  for (const call of openCalls(scope)) {
    const ticket = await admitToolCall(call, scope);
    if (ticket !== undefined) admitted.push(ticket);
  }
  let earlier: Promise<void> = Promise.resolve();
  const runs = admitted.map((ticket) => {
    if (ticket.tool.isReadOnly) return executeToolCall(ticket, scope);
    earlier = earlier.then(() => executeToolCall(ticket, scope));
    return earlier;
  });
  await Promise.all(runs);
}

function openCalls({ recorder }: TurnScope) {
  const calls = recorder.state.turn?.calls ?? [];
  return calls.filter((call) => !isTerminalStatus(call.status));
}
