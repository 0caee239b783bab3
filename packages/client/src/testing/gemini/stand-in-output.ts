import type { JsonObject } from "@dt/schema";
import type { StandInCall } from "./stand-in-script.js";

const MODEL = "gemini-2.5-pro";

/** A stream of the stand-in. */
export interface StandInStream {
  send(result: JsonObject): void;
  end(): void;
}

/** Ids and times for the frames of a task. */
export interface StandInStamps {
  readonly taskId: string;
  readonly contextId: string;
  readonly createId: () => string;
  readonly now: () => string;
}

/** Creates the output of a task: its state, its history, and its streams. */
export function createStandInOutput({ taskId, contextId, createId, now }: StandInStamps) {
  const streams = new Set<StandInStream>();
  const history: JsonObject[] = [];
  let state = "submitted";
  let status: JsonObject = { state, timestamp: now() };

  /** Sends a frame to every stream; a final frame ends them. */
  function publish(result: JsonObject): void {
    for (const stream of [...streams]) {
      stream.send({ taskId, contextId, ...result });
      if (result.final !== true) continue;
      streams.delete(stream);
      stream.end();
    }
  }

  function update(
    kind: string,
    parts: readonly JsonObject[],
    { final = false, error }: { readonly final?: boolean; readonly error?: string } = {},
  ): void {
    const ids = { messageId: createId(), taskId, contextId };
    const message = { kind: "message", role: "agent", parts, ...ids };
    if (parts.length > 0) history.push(message);
    status = { state, ...(parts.length > 0 && { message }), timestamp: now() };
    const metadata = { coderAgent: { kind }, model: MODEL, ...(error !== undefined && { error }) };
    publish({ kind: "status-update", status, final, metadata });
  }

  return {
    get state() {
      return state;
    },
    get isStreaming() {
      return streams.size > 0;
    },
    history,
    publish,
    update,
    attach: (stream: StandInStream) => void streams.add(stream),
    detach: (stream: StandInStream) => void streams.delete(stream),
    enter(next: string, text?: string, final = false): void {
      state = next;
      update("state-change", text === undefined ? [] : [{ kind: "text", text }], { final });
    },
    sendCall(callId: string, { name, args }: StandInCall, rest: JsonObject): void {
      const request = { callId, name, args, isClientInitiated: false, prompt_id: `${taskId}####0` };
      const tool = { name, displayName: name, description: "…", kind: "other", schema: {} };
      const isAsking = rest.status === "awaiting_approval";
      const kind = isAsking ? "tool-call-confirmation" : "tool-call-update";
      update(kind, [{ kind: "data", data: { request, ...rest, tool } }]);
    },
    /** Sends an update of any kind, for example a kind that only a newer version of the peer has. */
    sendRaw(metadata: JsonObject, parts: readonly JsonObject[]): void {
      const message = { kind: "message", role: "agent", messageId: createId(), parts };
      publish({ kind: "status-update", status: { state, message }, final: false, metadata });
    },
    /** Sends a screen of live output, which replaces the one before. */
    print(callId: string, text: string): void {
      const artifact = { artifactId: `tool-${callId}-output`, parts: [{ kind: "text", text }] };
      publish({ kind: "artifact-update", artifact, append: true, lastChunk: false });
    },
    /** Returns the task with these messages as its history. */
    show(shown: readonly JsonObject[] = []): JsonObject {
      const metadata = { __persistedState: { _taskState: state }, _contextId: contextId };
      return {
        id: taskId,
        contextId,
        kind: "task",
        status,
        metadata,
        history: shown,
        artifacts: [],
      };
    },
  };
}
