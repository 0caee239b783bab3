import {
  advanceToolCall,
  isNestedDeeper,
  MAX_VALUE_DEPTH,
  type Todo,
  type ToolCall,
  type ToolCallStatus,
  type ToolCallStep,
  type ToolOutput,
} from "@dt/schema";
import { explainDenial, findDeniedTarget } from "../../confirmation/denied-targets.js";
import { ToolError, toErrorDetails } from "../../errors/tool-error.js";
import { findOpenCall } from "../../record/calls/open-call.js";
import type { Change } from "../../record/recorder.js";
import type { RunningAgentCalls } from "../../tools/agent-calls.js";
import { abandonAfterAbort } from "../abandon-after-abort.js";
import type { CallScope } from "../turn-scope.js";
import type { AdmittedCall } from "./admit-tool-call.js";
import { askNestedQuestion } from "./ask-nested-question.js";
import { decideForTurn } from "./decide-for-turn.js";

/**
 * Waits until a call may run, runs it, and resolves with its status. The promise also resolves if the
 * tool fails, because the failure is a result that the model must see.
 */
export async function executeToolCall(
  admitted: AdmittedCall,
  scope: CallScope,
): Promise<ToolCallStatus> {
  const { recorder, signal } = scope;
  const { toolCallId } = admitted;
  let todos: readonly Todo[] | undefined;
  const current = () => findOpenCall(recorder.state.turn, toolCallId)?.toolCall;
  if (current()?.confirmationRequest !== undefined) {
    await scope.answers.wait(toolCallId, signal);
  }
  if (signal.aborted) return "PENDING";
  // The answer to a question has already changed the call: a refusal has ended it, and an approval may have
  // started it.
  let reached: ToolCallStatus | undefined;
  if (current()?.status === "PENDING") {
    reached = await advance(findRefusal(admitted, scope) ?? { type: "start" });
  } else {
    // Waits for the commit of the answer. A tool that runs before that commit could run again after a
    // restart.
    await recorder.flush();
  }
  const call = current();
  // The calls of a step are dropped when the last one has ended, so a missing call has failed or was
  // refused.
  if (call?.status !== "EXECUTING") return call?.status ?? reached ?? "CANCELLED";

  return (await advance(await scope.workClock.measure(() => runTool(call)))) ?? "EXECUTING";

  async function advance(step: ToolCallStep | undefined): Promise<ToolCallStatus | undefined> {
    const before = current();
    if (step === undefined || before === undefined) return undefined;
    const change = step.type === "succeed" && todos !== undefined ? toTodosChange(todos) : {};
    // Waits for the commit, because the start of a tool must be durable before the tool runs.
    await recorder.advance({ toolCallId, step }, change);
    return advanceToolCall(before, step).status;
  }

  async function saveCheckpoint(): Promise<void> {
    const turn = recorder.state.turn?.prompt.turn;
    if (turn === undefined || admitted.edits.length === 0) return;
    await scope.checkpoints?.save({ turn, paths: admitted.edits });
  }

  async function runTool(executing: ToolCall): Promise<ToolCallStep | undefined> {
    let isRunning = true;
    const ended = new AbortController();
    const nestedScope = { ...scope, signal: AbortSignal.any([signal, ended.signal]) };
    const print = (liveContent: string) => {
      if (isRunning)
        recorder.publishLive(advanceToolCall(executing, { type: "print", liveContent }));
    };
    try {
      await saveCheckpoint();
      const output = await abandonAfterAbort(
        admitted.tool.run(executing.inputParameters ?? {}, {
          toolCallId,
          workspace: scope.workspace,
          shown: admitted.shown,
          ...(admitted.planned !== undefined && { planned: admitted.planned }),
          mark: findOpenCall(recorder.state.turn, toolCallId)?.mark?.name,
          signal,
          print,
          writeTodos(written) {
            todos = written;
          },
          ask: (question) => askNestedQuestion(toolCallId, question, nestedScope),
          agentCalls: toAgentCalls(toolCallId, scope),
        }),
        signal,
      );
      checkOutput(output);
      return { type: "succeed", output };
    } catch (reason) {
      // If the turn was cancelled, this call is cancelled with the turn and does not fail.
      return signal.aborted ? undefined : { type: "fail", error: toErrorDetails(reason) };
    } finally {
      isRunning = false;
      ended.abort(new Error("the call that asked has ended"));
    }
  }
}

function toAgentCalls(toolCallId: string, { recorder }: CallScope): RunningAgentCalls {
  const { turn, interruptedAgentCalls } = recorder.state;
  return {
    depth: turn?.prompt.callDepth ?? 0,
    interrupted: interruptedAgentCalls,
    async save(agentCall) {
      const journal = [{ type: "agent-called", toolCallId, agentCall }] as const;
      await recorder.commit({ journal, isCritical: true });
    },
  };
}

function toTodosChange(todos: readonly Todo[]): Change {
  return { journal: [{ type: "todos-written", todos }], events: [{ kind: "TODOS", todos }] };
}

// Returns the failure of a call that is no longer allowed; undefined if it is still allowed. All calls of a
// step are admitted before the first one runs. Since then the person may have refused another call, or the
// mode or answer that allowed this call may have ended. A call whose own question was approved stays allowed.
function findRefusal(
  { shown, planned = [] }: AdmittedCall,
  scope: CallScope,
): ToolCallStep | undefined {
  if (shown !== undefined) return undefined;
  const denied = findDeniedTarget(planned, scope.recorder.state.turn?.denied ?? []);
  if (denied !== undefined) {
    return notAllowed(explainDenial(denied, { actions: planned, root: scope.workspace.root }));
  }
  return decideForTurn(planned, scope).type === "allow" ? undefined : notAllowed(NO_LONGER_ALLOWED);
}

const NO_LONGER_ALLOWED =
  "the mode or the answer that allowed this call ended before it ran, so nothing was done; try again to ask the person";

function notAllowed(message: string): ToolCallStep {
  return { type: "fail", error: { message, type: "not_allowed" } };
}

// Throws if an output is nested deeper than clients and stores can handle.
function checkOutput({ result }: ToolOutput): void {
  if (result?.$case !== "structuredData" || !isNestedDeeper(result.value, MAX_VALUE_DEPTH)) return;
  const fault = `the result is nested deeper than ${MAX_VALUE_DEPTH} levels`;
  throw new ToolError("invalid_output", `${fault}, but the tool has run`);
}
