import {
  type AgentSettings,
  isObject,
  type JsonObject,
  ProtocolError,
  type TaskView,
} from "@dt/schema";
import type { AgentClient, TransportKind } from "./agent-client.js";
import { listCommands, runCommand } from "./commands/command-run.js";
import { SetupError } from "./errors/setup-error.js";
import { TransportError } from "./errors/transport-error.js";
import { createPushConfigs } from "./push/push-configs.js";
import type { AgentChannel } from "./task/agent-channel.js";
import type { ConnectionMonitor } from "./task/connection-monitor.js";
import { createTaskHandle } from "./task/create-task-handle.js";
import { leavingAtOnce } from "./task/leave-at-once.js";
import { toParts } from "./task/prompt-parts.js";
import type { Conversation } from "./task/requests.js";
import { joinTasks, lastTasks, sessionTasks } from "./task/session-tasks.js";
import type { TaskHandle } from "./task/task-handle.js";
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
    tasksOf: (contextId: string, signal: AbortSignal) => lastTasks(conversation, contextId, signal),
    pushOf: (taskId: () => string) => createPushConfigs(conversation, taskId),
  };

  function openHandle(start: TaskView, earlier?: readonly string[]): TaskHandle {
    return leavingAtOnce(createTaskHandle(handleParts, start, earlier));
  }

  function openLast(earlier: readonly TaskView[], last: TaskView): TaskHandle {
    const ids = earlier.map(({ taskId }) => taskId);
    return openHandle(joinTasks(earlier, last), ids);
  }

  return {
    card,
    version: conversation.spelling.version,
    transport: parts.transport,
    async startTask(options) {
      if (!isObject(options)) {
        throw new ProtocolError("invalid-message", "startTask: expected { prompt, … }");
      }
      const { prompt, workspacePath, settings, contextId, signal } = options;
      const content = {
        type: "prompt" as const,
        parts: toParts(prompt),
        ...withSettings(workspacePath, settings),
      };
      const place = contextId === undefined ? {} : { contextId };
      return openHandle(await channel.send(content, place, signal));
    },
    async openTask(taskId, { signal } = {}) {
      const view = await channel.get(taskId, signal);
      if (channel.sharesCursors !== true) return openHandle(view);
      const tasks = await sessionTasks(conversation, view.contextId, signal);
      const place = tasks.findIndex((task) => task.taskId === taskId);
      return openLast(tasks.slice(0, Math.max(0, place)), view);
    },
    async openSession(contextId, { signal } = {}) {
      const tasks = await sessionTasks(conversation, contextId, signal);
      const last = tasks.at(-1);
      if (last === undefined) {
        throw new ProtocolError("task-not-found", `there is no task of ${contextId}`);
      }
      return openLast(tasks.slice(0, -1), await channel.get(last.taskId, signal));
    },
    listTasks: (options = {}) => listTasks(conversation, options),
    commands: (options = {}) => listCommands(conversation, options),
    run: (path, args = "", options = {}) =>
      runCommand(conversation, { path, args }, options, openHandle),
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
