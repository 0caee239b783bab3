import {
  type ExtensionUris,
  findExtensionValue,
  isObject,
  type Part,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import {
  type A2aFrame,
  type A2aMessage,
  type A2aTask,
  decodeEventFrame,
  decodeTask,
} from "@dt/schema/wire";

/** Reads the frames of one task of an agent that may send more than the RFC defines. */
export interface FrameReader {
  /** Reads a task, without the answers in its history. */
  readTask(task: A2aTask): TaskView;
  /** Reads a frame that is not a task. */
  readEvent(frame: Exclude<A2aFrame, { type: "task" }>, view: TaskView): SessionEvent;
}

/** Creates a frame reader. A frame that fits no known kind becomes an UNKNOWN event. */
export function createFrameReader(uris: ExtensionUris): FrameReader {
  return {
    readTask(task) {
      const history = task.history?.filter((message) => !isAnswer(message, uris));
      return decodeTask(history === undefined ? task : { ...task, history }, uris);
    },
    readEvent(frame, view) {
      switch (frame.type) {
        case "status-update":
        case "artifact-update":
          return decodeEventFrame(frame, uris, view);
        case "message": {
          const { parts } = frame.message;
          const isText = parts.every((part) => part.type === "text");
          const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
          const event = isText ? { kind: "TEXT_CONTENT" as const, text } : unknown("", parts);
          return { ...headerOf(view), ...event };
        }
      }
    },
  };
}

// Returns true for an answer to a question. Answers in a history are left out, because the history also
// has their effects.
function isAnswer({ metadata }: A2aMessage, { developmentTool }: ExtensionUris): boolean {
  const header = findExtensionValue(metadata, developmentTool);
  return isObject(header) && header.kind === "TOOL_CALL_CONFIRMATION";
}

function headerOf({ taskId, contextId, state, at }: TaskView) {
  return { taskId, contextId, state, at };
}

function unknown(wireKind: string, parts: readonly Part[]) {
  return { kind: "UNKNOWN" as const, wireKind, parts };
}
