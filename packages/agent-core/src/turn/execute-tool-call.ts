import { advanceToolCall, type ToolCall, type ToolCallStatus, type ToolCallStep } from "@dt/schema";
import { deniedReason, findDeniedTarget } from "../confirmation/denied-targets.js";
import { toErrorDetails } from "../errors/tool-error.js";
import type { AdmittedCall } from "./admit-tool-call.js";
import { orAbandoned } from "./or-abandoned.js";
import type { TurnScope } from "./turn-scope.js";

/**
 * Waits until a call may run, and runs it; resolves with where it stands then. A tool's failure is a
 * result: the model must see it.
 */
export async function executeToolCall(
  admitted: AdmittedCall,
  scope: TurnScope,
): Promise<ToolCallStatus> {
  const { recorder, signal } = scope;
  const current = () => findCall(admitted.toolCallId, scope);
  if (current()?.confirmationRequest !== undefined) {
    await scope.answers.wait(admitted.toolCallId, signal);
  }
  if (signal.aborted) return "PENDING";
  // Whoever said no has ended the call; whoever said yes may have started it with the same commit.
  if (current()?.status === "PENDING")
    await advance(findRefusal(admitted, scope) ?? { type: "start" });
  const call = current();
  // A step forgets its calls when the last of them has ended: this one was refused then.
  if (call?.status !== "EXECUTING") return call?.status ?? "CANCELLED";
  // The approval may still be on its way to the disk: a tool that ran before it could run again.
  await recorder.flush();

  return (await advance(await scope.workClock.measure(() => outcomeOf(call)))) ?? "EXECUTING";

  async function advance(step: ToolCallStep | undefined): Promise<ToolCallStatus | undefined> {
    const before = current();
    if (step === undefined || before === undefined) return undefined;
    const toolCall = advanceToolCall(before, step);
    await recorder.commit({
      journal: [{ type: "call-changed", toolCall }],
      events: [{ kind: "TOOL_CALL_UPDATE", toolCall }],
    });
    return toolCall.status;
  }

  async function saveCheckpoint(): Promise<void> {
    const turn = recorder.state.turn?.prompt.turn;
    if (turn === undefined || admitted.edits.length === 0) return;
    await scope.checkpoints?.save({ turn, paths: admitted.edits });
  }

  async function outcomeOf(executing: ToolCall): Promise<ToolCallStep | undefined> {
    let isRunning = true;
    const print = (liveContent: string) => {
      if (isRunning)
        recorder.publishLive(advanceToolCall(executing, { type: "print", liveContent }));
    };
    try {
      await saveCheckpoint();
      const output = await orAbandoned(
        admitted.tool.run(executing.inputParameters ?? {}, {
          toolCallId: admitted.toolCallId,
          workspace: scope.workspace,
          shown: admitted.shown,
          ...(admitted.planned !== undefined && { planned: admitted.planned }),
          signal,
          print,
        }),
        signal,
      );
      return { type: "succeed", output };
    } catch (reason) {
      // What was cut short by a cancel is cancelled with its turn.
      return signal.aborted ? undefined : { type: "fail", error: toErrorDetails(reason) };
    } finally {
      isRunning = false;
    }
  }
}

// What was refused since this call was let through, as a sibling of the same step, stands for it too;
// not where someone was asked about this very call.
function findRefusal(
  { shown, planned = [] }: AdmittedCall,
  { recorder, workspace }: TurnScope,
): ToolCallStep | undefined {
  const denied = findDeniedTarget(planned, recorder.state.turn?.denied ?? []);
  if (shown !== undefined || denied === undefined) return undefined;
  const message = deniedReason(denied, { actions: planned, root: workspace.root });
  return { type: "fail", error: { message, type: "not_allowed" } };
}

function findCall(toolCallId: string, { recorder }: TurnScope): ToolCall | undefined {
  return recorder.state.turn?.calls.find((call) => call.toolCallId === toolCallId);
}
