import { advanceToolCall, type ToolCall, type ToolCallStep } from "@dt/schema";
import { toErrorDetails } from "../errors/tool-error.js";
import type { AdmittedCall } from "./admit-tool-call.js";
import type { TurnScope } from "./turn-scope.js";

/** Waits until a call may run, and runs it. A tool's failure is a result: the model must see it. */
export async function executeToolCall(admitted: AdmittedCall, scope: TurnScope): Promise<void> {
  const { recorder, signal } = scope;
  const current = () => findCall(admitted.toolCallId, scope);
  if (current()?.confirmationRequest !== undefined) {
    await scope.answers.wait(admitted.toolCallId, signal);
  }
  if (signal.aborted) return;
  // Whoever said no has ended the call; whoever said yes may have started it with the same commit.
  if (current()?.status === "PENDING") await advance({ type: "start" });
  const call = current();
  if (call?.status !== "EXECUTING") return;

  await advance(await outcomeOf(call));

  async function advance(step: ToolCallStep | undefined): Promise<void> {
    const before = current();
    if (step === undefined || before === undefined) return;
    const toolCall = advanceToolCall(before, step);
    await recorder.commit({
      journal: [{ type: "call-changed", toolCall }],
      events: [{ kind: "TOOL_CALL_UPDATE", toolCall }],
    });
  }

  async function outcomeOf(executing: ToolCall): Promise<ToolCallStep | undefined> {
    let isRunning = true;
    const print = (liveContent: string) => {
      if (isRunning)
        recorder.publishLive(advanceToolCall(executing, { type: "print", liveContent }));
    };
    try {
      const output = await admitted.tool.run(executing.inputParameters ?? {}, {
        workspace: scope.workspace,
        shown: admitted.shown,
        signal,
        print,
      });
      return { type: "succeed", output };
    } catch (reason) {
      // What was cut short by a cancel is cancelled with its turn.
      return signal.aborted ? undefined : { type: "fail", error: toErrorDetails(reason) };
    } finally {
      isRunning = false;
    }
  }
}

function findCall(toolCallId: string, { recorder }: TurnScope): ToolCall | undefined {
  return recorder.state.turn?.calls.find((call) => call.toolCallId === toolCallId);
}
