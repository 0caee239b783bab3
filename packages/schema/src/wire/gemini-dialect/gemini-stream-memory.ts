import { isTerminalState, toDocumentState } from "../../event/task-state.js";
import type { TaskView } from "../../event/task-view.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";
import { isWaiting } from "../../tool-call/tool-call-status.js";
import type { A2aState } from "../a2a/a2a.js";
import type { StreamStart } from "../dialect.js";

/** The last status of a call that the client got. "hidden" means that the client does not know the call. */
export type ShownStatus = "hidden" | "validating" | "awaiting_approval" | "scheduled" | "executing";

/** State of one stream between its frames. */
export interface GeminiStreamMemory {
  /** State in the last `state-change` frame. Frames of other kinds repeat it, as in gemini-cli. */
  readonly state: A2aState;
  readonly model: string | undefined;
  /** Shown status of each call that has not ended, by the id of the call. */
  readonly calls: ReadonlyMap<string, ShownStatus>;
  /**
   * Progress of the calls of the last step. "none" means that the model requested no calls. "open" means
   * that some calls have not ended. "ended" means that all calls have ended, but the model has not
   * continued yet.
   */
  readonly stepCalls: "none" | "open" | "ended";
}

/** Creates the memory of a stream. */
export function startGeminiMemory(view: TaskView, stream: StreamStart): GeminiStreamMemory {
  const knowsCalls = stream.type === "subscription" || stream.type === "joined";
  const known = knowsCalls ? view.openCalls : [];
  const calls = new Map(known.map((call) => [call.toolCallId, toShownStatus(call)]));
  return {
    state: isAnswer(view, stream) ? "input-required" : toStreamState(view),
    model: view.model,
    calls,
    stepCalls: calls.size > 0 || isAnswer(view, stream) ? "open" : "none",
  };
}

// Returns the state in which a stream starts. A terminal state becomes `working`, because a stream that
// continues after a cursor begins with events from before the end of the task.
function toStreamState({ state }: TaskView): A2aState {
  return isTerminalState(state) ? "working" : toDocumentState(state);
}

function toShownStatus(call: ToolCall): ShownStatus {
  if (call.status === "EXECUTING") return "executing";
  return isWaiting(call) ? "awaiting_approval" : "hidden";
}

// Returns true if the message that opened a stream was an answer. If it was a prompt, the view has an
// item or a queued prompt.
function isAnswer({ items, queue }: TaskView, stream: StreamStart): boolean {
  const hasPrompt = items.length > 0 || queue.length > 0;
  return stream.type === "message" && !stream.isNewTask && !hasPrompt;
}

/** Returns the memory after a call was shown in a status. */
export function withShownCall(
  memory: GeminiStreamMemory,
  toolCallId: string,
  status: ShownStatus,
): GeminiStreamMemory {
  return { ...memory, calls: new Map(memory.calls).set(toolCallId, status) };
}

/** Returns the memory after a call has ended. */
export function withoutCall(memory: GeminiStreamMemory, toolCallId: string): GeminiStreamMemory {
  const calls = new Map(memory.calls);
  calls.delete(toolCallId);
  return { ...memory, calls, stepCalls: calls.size === 0 ? "ended" : "open" };
}
