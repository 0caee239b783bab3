import type { AgentMetadata, McpServerInfo } from "../../agent/agent-metadata.js";
import { toDocumentState } from "../../event/task-state.js";
import { isUnprompted, type TaskView } from "../../event/task-view.js";
import type { JsonObject } from "../../validation/message-json.js";

/**
 * Encodes the metadata of a task. If its agent is not open, the lists of servers and tools are empty.
 * (protocol notes, Task metadata)
 */
export function encodeNotesMetadata(view: TaskView, agent?: AgentMetadata): JsonObject {
  const { taskId: id, contextId, state, model } = view;
  return {
    id,
    contextId,
    // In the notes, `submitted` means that the task has not started, and `input-required` means that
    // the task asks.
    taskState: isUnprompted(view) ? "submitted" : toDocumentState(state),
    model: agent?.model ?? model ?? "",
    mcpServers: (agent?.mcpServers ?? []).map(encodeServer),
    availableTools: agent?.availableTools ?? [],
  };
}

// Encodes an MCP server. The notes have no status `failed`, so `disconnected` is sent instead.
function encodeServer({ name, status, tools }: McpServerInfo): JsonObject {
  return { name, status: status === "failed" ? "disconnected" : status, tools };
}
