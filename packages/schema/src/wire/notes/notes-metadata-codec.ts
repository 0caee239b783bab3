import type { AgentMetadata, McpServerInfo } from "../../agent/agent-metadata.js";
import { toDocumentState } from "../../event/task-state.js";
import { isUnprompted, type TaskView } from "../../event/task-view.js";
import type { JsonObject } from "../../validation/message-json.js";

/**
 * Encodes the metadata of a task. If its agent is not open, there are no servers and tools to show.
 * (protocol notes, Task metadata)
 */
export function encodeNotesMetadata(view: TaskView, agent?: AgentMetadata): JsonObject {
  const { taskId: id, contextId, state, model } = view;
  return {
    id,
    contextId,
    // In the notes, `submitted` means that the task is not started, and `input-required` that it asks.
    taskState: isUnprompted(view) ? "submitted" : toDocumentState(state),
    model: agent?.model ?? model ?? "",
    mcpServers: (agent?.mcpServers ?? []).map(encodeServer),
    availableTools: agent?.availableTools ?? [],
  };
}

// Encodes an MCP server. The notes' status has no value for a server that is given up.
function encodeServer({ name, status, tools }: McpServerInfo): JsonObject {
  return { name, status: status === "failed" ? "disconnected" : status, tools };
}
