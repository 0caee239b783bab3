import { StreamResponse } from "@a2a-js/sdk";
import type { AgentExecutionEvent } from "@a2a-js/sdk/server";
import {
  type AgentEvent,
  type Artifact,
  isObject,
  type Part,
  pathBetween,
  type TaskState,
  textOf,
} from "@dt/schema";
import { type A2aFrame, type A2aTask, spellings, toTaskState } from "@dt/schema/wire";

/** An event, and the state of the task after it. */
export type TaskStep = AgentEvent & { readonly state: TaskState };

/** State of a task after the events so far. */
export interface TaskProgress {
  readonly state: TaskState;
  readonly artifacts: readonly Artifact[];
  /** True if the reply ends with text, so that later text continues that text. */
  readonly isTextLast: boolean;
}

/**
 * Decodes an event of an executor; throws with the path of a fault. The ids of the task replace those in the event, so
 * an executor may leave them out.
 */
export function decodeExecutionEvent(
  { kind, data }: AgentExecutionEvent,
  { taskId, contextId }: { readonly taskId: string; readonly contextId: string },
): A2aFrame {
  const value = { ...data, ...(kind === "task" ? { id: taskId } : { taskId }), contextId };
  const response = { payload: { $case: kind, value } } as StreamResponse;
  const json = StreamResponse.toJSON(response);
  for (const message of messagesIn(json)) {
    message.messageId ??= MESSAGE_ID;
    message.role ??= "ROLE_AGENT";
  }
  return spellings["1.0"].decodeFrame(json, "event");
}

/** Id for a message without an id. Its value has no effect, because our events do not contain the id. */
const MESSAGE_ID = "message";

function* messagesIn(json: unknown): Generator<Record<string, unknown>> {
  if (!isObject(json)) return;
  for (const [key, value] of Object.entries(json)) {
    if (key === "message" && isObject(value)) yield value;
    else if (key === "task" || key === "statusUpdate" || key === "status") yield* messagesIn(value);
  }
}

/**
 * Converts an event of an executor to ours. The message of the state `submitted` or `working` becomes text.
 * The message of any other state stays with its state. A state change that is not allowed directly goes
 * through `working`. (SRV-07)
 */
export function toAgentEvents(frame: A2aFrame, progress: TaskProgress): readonly TaskStep[] {
  const { state } = progress;
  switch (frame.type) {
    case "task":
      return [
        ...newArtifacts(frame.task, progress).map(
          (artifact): TaskStep => ({ kind: "ARTIFACT", artifact, lastChunk: true, state }),
        ),
        ...toSteps(
          toTaskState(frame.task.status.state),
          frame.task.status.message?.parts,
          progress,
        ),
      ];
    case "status-update":
      return toSteps(toTaskState(frame.status.state), frame.status.message?.parts, progress);
    case "artifact-update": {
      const { artifact, append, lastChunk } = frame;
      const flags = {
        ...(append !== undefined && { append }),
        ...(lastChunk !== undefined && { lastChunk }),
      };
      return [{ kind: "ARTIFACT", artifact, ...flags, state }];
    }
    // An executor that answers with a message instead of a task has completed its task.
    case "message":
      return [...toText(frame.message.parts, progress), ...toSteps("completed", [], progress)];
  }
}

function toSteps(
  to: TaskState,
  parts: readonly Part[] = [],
  progress: TaskProgress,
): readonly TaskStep[] {
  const { state } = progress;
  // The task has been working since its prompt arrived, so `submitted` does not change its state.
  if (to === "submitted") return toText(parts, progress);
  if (to === "working") {
    const change: TaskStep[] = state === "working" ? [] : [{ kind: "STATE_CHANGE", state: to }];
    return [...change, ...toText(parts, { ...progress, state: to })];
  }
  return pathBetween(state, to).map((through) => ({
    kind: "STATE_CHANGE",
    ...(through === to && parts.length > 0 && { statusParts: parts }),
    state: through,
  }));
}

// Converts the parts of a message to a text event. Our text events are pieces of one text, but a message is whole, so
// an empty line separates it from the message before.
function toText(
  parts: readonly Part[],
  { state, isTextLast }: Pick<TaskProgress, "state" | "isTextLast">,
): readonly TaskStep[] {
  const text = textOf(parts);
  const attachments = parts.filter((part) => part.type !== "text");
  if (text === "" && attachments.length === 0) return [];
  return [
    {
      kind: "TEXT_CONTENT",
      text: isTextLast && text !== "" ? `\n\n${text}` : text,
      ...(attachments.length > 0 && { attachments }),
      state,
    },
  ];
}

// Finds the artifacts of a task that are not stored yet. An executor may publish the whole task several times.
function newArtifacts(task: A2aTask, { artifacts }: TaskProgress): readonly Artifact[] {
  const known = new Set(artifacts.map((artifact) => JSON.stringify(artifact)));
  return (task.artifacts ?? []).filter((artifact) => !known.has(JSON.stringify(artifact)));
}
