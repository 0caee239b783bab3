import type { AgentSettings, JsonObject } from "@dt/schema";
import type { AgentClient, TransportKind } from "./agent-client.js";
import { listCommands, runCommand } from "./commands/command-run.js";
import { SetupError } from "./errors/setup-error.js";
import { TransportError } from "./errors/transport-error.js";
import { createPushConfigs } from "./push/push-configs.js";
import type { AgentChannel } from "./task/agent-channel.js";
import type { ConnectionMonitor } from "./task/connection-monitor.js";
import { createTaskHandle } from "./task/create-task-handle.js";
import { toParts } from "./task/prompt-parts.js";
import type { Conversation } from "./task/requests.js";
import { listTasks } from "./task/task-list.js";

/** What a client is made of. */
export interface AgentClientParts {
  readonly card: JsonObject;
  readonly conversation: Conversation;
  readonly channel: AgentChannel;
  readonly transport: TransportKind;
  readonly closing: AbortController;
  readonly monitor: ConnectionMonitor;
}

/** Joins the parts of a connection. */
export function createAgentClient(parts: AgentClientParts): AgentClient {
  const { card, conversation, channel, closing, monitor } = parts;
  const handleParts = {
    channel,
    closing: closing.signal,
    pushOf: (taskId: () => string) => createPushConfigs(conversation, taskId),
  };

  return {
    card,
    version: conversation.spelling.version,
    transport: parts.transport,
    async startTask({ prompt, workspacePath, settings, contextId, signal }) {
      const content = {
        type: "prompt" as const,
        parts: toParts(prompt),
        ...withSettings(workspacePath, settings),
      };
      const place = contextId === undefined ? {} : { contextId };
      return createTaskHandle(handleParts, await channel.send(content, place, signal));
    },
    async openTask(taskId, { signal } = {}) {
      return createTaskHandle(handleParts, await channel.get(taskId, signal));
    },
    listTasks: (options = {}) => listTasks(conversation, options),
    commands: (options = {}) => listCommands(conversation, options),
    run: (path, args = "", options = {}) =>
      runCommand(conversation, { path, args }, options, (start) =>
        createTaskHandle(handleParts, start),
      ),
    get connection() {
      return monitor.state;
    },
    onConnectionChange: monitor.onChange,
    close() {
      closing.abort(new TransportError("closed", "this client was closed"));
      conversation.transport.close?.();
      monitor.report({ status: "closed" });
    },
  };
}

function withSettings(
  workspacePath: string | undefined,
  settings: Partial<Omit<AgentSettings, "workspacePath">> | undefined,
): { readonly settings?: AgentSettings } {
  if (workspacePath !== undefined) {
    return { settings: { allowedTools: [], mcpServers: {}, ...settings, workspacePath } };
  }
  if (settings === undefined) return {};
  throw new SetupError("settings belong to a workspace: pass workspacePath with them");
}
