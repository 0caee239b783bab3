import type { SessionEvent } from "../../event/agent-event.js";
import { type Part, textOf } from "../../event/part.js";
import { type TaskState, toDocumentState } from "../../event/task-state.js";
import type { AgentSettings } from "../../gen/development_tool/settings.js";
import type { ToolCall, ToolOutput } from "../../gen/development_tool/tool_call.js";
import type { JsonObject } from "../../validation/message-json.js";
import { compact } from "../a2a/read-json.js";
import { encodeNotesQuestion } from "./notes-question-codec.js";

/** Ids that every payload contains. */
export interface NotesIds {
  readonly taskId: string;
  readonly contextId: string;
}

/**
 * Encodes an event as the payload of one frame. Returns undefined if the protocol notes have no such
 * event. Questions are encoded separately. (protocol notes, Event types and Message types)
 */
export function encodeNotesEvent(event: SessionEvent): JsonObject | undefined {
  switch (event.kind) {
    case "STATE_CHANGE":
      return encodeNotesState(event);
    case "TEXT_CONTENT":
      // The notes have no event for files and data.
      return event.text === "" ? undefined : payload("text-content", event, { text: event.text });
    case "THOUGHT": {
      const { subject, description } = event.thought;
      return payload("thought", event, { subject, description });
    }
    case "TOOL_CALL_UPDATE":
      // The notes report changes of the status only, so live output is left out.
      if (event.toolCall.liveContent !== undefined && event.toolCall.status === "EXECUTING")
        return undefined;
      return payload("tool-call-update", event, encodeCall(event.toolCall));
    case "CITATION": {
      const { uri, title } = event.citation;
      return payload("citation", event, { uri, title });
    }
    case "AGENT_SETTINGS":
      return encodeNotesSettings(event.settings, event);
    default:
      return undefined;
  }
}

/** A state of a task, with the agent's text about the state. */
interface StateOfTask extends NotesIds {
  readonly state: TaskState;
  readonly error?: string;
  readonly statusParts?: readonly Part[];
}

/** Encodes a change of state. For a failure, the agent's text becomes the error. */
export function encodeNotesState(change: StateOfTask): JsonObject {
  const state = toDocumentState(change.state);
  const words = state === "failed" ? textOf(change.statusParts ?? []) : "";
  const error = change.error ?? (words || undefined);
  return payload("state-change", change, compact({ state, error }));
}

/** Encodes the agent's text about a state as a text event, because a change of state has no text. */
export function encodeNotesWords(change: StateOfTask): readonly JsonObject[] {
  const words = textOf(change.statusParts ?? []);
  if (words === "" || toDocumentState(change.state) === "failed") return [];
  return [payload("text-content", change, { text: words })];
}

/** Encodes the question of a tool call. */
export function encodeNotesConfirmation(toolCall: ToolCall, ids: NotesIds): JsonObject {
  const { toolCallId, toolName, inputParameters = {} } = toolCall;
  const confirmationRequest = encodeNotesQuestion(toolCall);
  const content = { toolCallId, toolName, inputParameters, confirmationRequest };
  return payload("tool-call-confirmation", ids, content);
}

/** Encodes the settings of a task. */
export function encodeNotesSettings(settings: AgentSettings, ids: NotesIds): JsonObject {
  const { workspacePath, autoExecute = false } = settings;
  return payload("agent-settings", ids, { workspacePath, autoExecute });
}

function payload(kind: string, { taskId, contextId }: NotesIds, content: JsonObject): JsonObject {
  return { kind, taskId, contextId, ...content };
}

function encodeCall({ toolCallId, toolName, status, inputParameters, result }: ToolCall) {
  return compact({
    toolCallId,
    toolName,
    status,
    inputParameters,
    result: result?.$case === "output" ? encodeOutput(result.value) : undefined,
    error: result?.$case === "error" ? result.value.message : undefined,
  });
}

/** Encodes the output of a tool as text, because the notes declare `result` as a string. */
function encodeOutput({ result }: ToolOutput): string | undefined {
  switch (result?.$case) {
    case "text":
      return result.value;
    case "diff":
      return result.value.formattedDiff || result.value.newContent;
    case "structuredData":
      return JSON.stringify(result.value ?? {});
    case undefined:
      return undefined;
  }
}
