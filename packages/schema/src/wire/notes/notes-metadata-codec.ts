import type { AgentMetadata, McpServerInfo } from "../../agent/agent-metadata.js";
import type { BudgetUse } from "../../agent/budget-port.js";
import { toCost } from "../../agent/cost.js";
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
    ...encodeUse(view, agent),
    ...(agent?.budgets && agent.budgets.length > 0 && { budgets: agent.budgets.map(encodeBudget) }),
  };
}

// Encodes an MCP server. The notes have no status `failed`, so `disconnected` is sent instead.
function encodeServer({ name, status, tools }: McpServerInfo): JsonObject {
  return { name, status: status === "failed" ? "disconnected" : status, tools };
}

// Encodes the tokens and the cost of the whole session. If the session's agent is not open, returns the
// values of the last report.
function encodeUse({ facts }: TaskView, agent: AgentMetadata | undefined): JsonObject {
  const { usage = facts?.usage?.session, cost = facts?.usage?.sessionCost } = agent ?? {};
  return { ...(usage && { usage: { ...usage } }), ...(cost && { cost: { ...cost } }) };
}

function encodeBudget({ scope, unit, used, limit, day }: BudgetUse): JsonObject {
  const isMoney = unit === "nanos";
  return {
    scope,
    unit: isMoney ? "money" : unit,
    used: isMoney ? { ...toCost(used) } : used,
    limit: isMoney ? { ...toCost(limit) } : limit,
    ...(day !== undefined && { day }),
  };
}
