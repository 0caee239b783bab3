import {
  type AgentSettings,
  isTerminalState,
  type JsonObject,
  openQuestions,
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
import { toParts } from "./task/prompt-parts.js";
import type { Conversation } from "./task/requests.js";
import { joinTasks, lastTasks, sessionTasks } from "./task/session-tasks.js";
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
    tasksOf: (contextId: string, isKnown: (task: TaskView) => boolean, signal: AbortSignal) =>
      lastTasks(conversation, contextId, isKnown, signal),
    pushOf: (taskId: () => string) => createPushConfigs(conversation, taskId),
  };

  /** A handle on a session: on what runs or asks, though others may wait behind it; else on the last task. */
  async function openSession(tasks: readonly TaskView[], last: TaskView, signal?: AbortSignal) {
    const [running = last, ...later] = tasks.filter(isUnfinished);
    const earlier = tasks.filter((task) => task !== running && !later.includes(task));
    const view = joinTasks(earlier, await channel.get(running.taskId, signal));
    return createTaskHandle(handleParts, later.length > 0 ? { ...view, queue: last.queue } : view, {
      earlier: earlier.map(({ taskId }) => taskId),
      later,
    });
  }

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
      const view = await channel.get(taskId, signal);
      if (channel.sharesCursors !== true) return createTaskHandle(handleParts, view);
      const tasks = await sessionTasks(conversation, view.contextId, signal);
      const place = tasks.findIndex((task) => task.taskId === taskId);
      const upTo = tasks.slice(0, place + 1);
      if (isUnfinished(view) && place >= 0) return await openSession(upTo, view, signal);
      const earlier = upTo.slice(0, -1);
      const around = { earlier: earlier.map((task) => task.taskId), later: [] };
      return createTaskHandle(handleParts, joinTasks(earlier, view), around);
    },
    async openSession(contextId, { signal } = {}) {
      const tasks = await sessionTasks(conversation, contextId, signal);
      const last = tasks.at(-1);
      if (last === undefined) {
        throw new ProtocolError("task-not-found", `there is no task of ${contextId}`);
      }
      return await openSession(tasks, last, signal);
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

/** Whether a task runs, asks or waits for its turn; one that rests without a question does not. */
function isUnfinished(task: TaskView): boolean {
  if (task.state === "input-required") return openQuestions(task).length > 0;
  return !isTerminalState(task.state);
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
