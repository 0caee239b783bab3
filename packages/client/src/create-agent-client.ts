import {
  type AgentSettings,
  failAt,
  isObject,
  isUnfinished,
  type JsonObject,
  openQuestions,
  ProtocolError,
  SetupError,
  type TaskView,
} from "@dt/schema";
import type { AgentClient, StartTaskOptions, TransportKind } from "./agent-client.js";
import { findUnknownName } from "./errors/find-unknown-name.js";
import { TransportError } from "./errors/transport-error.js";
import { loadPushConfigs } from "./push/load-push-configs.js";
import { loadSharing } from "./sharing/load-sharing.js";
import { type AgentChannel, followsSessions } from "./task/channel/agent-channel.js";
import type { Conversation } from "./task/channel/requests.js";
import type { ConnectionMonitor } from "./task/connection-monitor.js";
import { createTaskHandle } from "./task/create-task-handle.js";
import { toParts } from "./task/prompt-parts.js";
import { sessionTasks } from "./task/session/session-tasks.js";
import { joinTasks } from "./task/session/session-view.js";
import { listTasks } from "./task/task-list.js";

/** Dependencies of {@link createAgentClient}. */
export interface AgentClientParts {
  readonly card: JsonObject;
  readonly conversation: Conversation;
  readonly channel: AgentChannel;
  readonly transport: TransportKind;
  readonly closing: AbortController;
  readonly monitor: ConnectionMonitor;
}

/** Creates a client from the parts of a connection. */
export function createAgentClient(parts: AgentClientParts): AgentClient {
  const { card, conversation, channel, closing, monitor } = parts;
  const handleParts = {
    channel,
    closing: closing.signal,
    pushOf: (taskId: () => string) => loadPushConfigs(conversation, taskId),
  };

  const join = (view: TaskView) => createTaskHandle(handleParts, view, { isJoined: true });

  /** Opens a handle on the task of the current turn; if no turn runs, on the last task. */
  async function openCurrentTask(tasks: readonly TaskView[], last: TaskView, signal?: AbortSignal) {
    const current = findCurrent(tasks) ?? last;
    const others = tasks.filter(({ taskId }) => taskId !== current.taskId);
    const view = await channel.get(current.taskId, signal);
    // The queue belongs to the session. The task that changed last has the newest queue.
    const { queue } = tasks.at(-1) ?? last;
    return join({ ...joinTasks(others, view), queue });
  }

  return {
    card,
    version: conversation.spelling.version,
    transport: parts.transport,
    followsSessions: followsSessions(channel),
    async startTask(options) {
      if (!isObject(options)) {
        failAt("startTask", "expected { prompt, … }");
      }
      await checkSpelling(options, START_TASK_OPTIONS, "");
      const { prompt, workspacePath, settings, contextId, messageId, callDepth, signal } = options;
      await checkSpelling(settings, SETTINGS, "settings.");
      const content = {
        type: "prompt" as const,
        parts: toParts(prompt),
        ...withSettings(workspacePath, settings),
        ...(callDepth && { callDepth }),
      };
      const target = { ...(contextId && { contextId }), ...(messageId && { messageId }) };
      return createTaskHandle(handleParts, await channel.send(content, target, signal));
    },
    async openTask(taskId, { signal } = {}) {
      const view = await channel.get(taskId, signal);
      if (!followsSessions(channel)) return join(view);
      const tasks = await sessionTasks(conversation, view.contextId, signal);
      if (isUnfinished(view)) return await openCurrentTask(tasks, view, signal);
      const index = tasks.findIndex((task) => task.taskId === taskId);
      return join(joinTasks(tasks.slice(0, Math.max(0, index)), view));
    },
    async openSession(contextId, { signal } = {}) {
      const tasks = await sessionTasks(conversation, contextId, signal);
      const last = tasks.at(-1);
      if (last === undefined) {
        throw new ProtocolError("task-not-found", `session ${contextId} has no tasks`);
      }
      return await openCurrentTask(tasks, last, signal);
    },
    listTasks: (options = {}) => listTasks(conversation, options),
    commands: async (options = {}) => (await loadCommands()).listCommands(conversation, options),
    async run(path, args = "", options = {}) {
      const { runCommand } = await loadCommands();
      return await runCommand(conversation, { path, args }, options, (start) =>
        createTaskHandle(handleParts, start),
      );
    },
    sharing: loadSharing(conversation),
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

/** Loads the code for commands on demand, because many pages run no commands. */
const loadCommands = () => import("./commands/command-run.js");

/**
 * Finds the task of the current turn: a task that asks, else a task that works, else a task that waits for
 * its turn.
 */
function findCurrent(tasks: readonly TaskView[]): TaskView | undefined {
  const asks = tasks.findLast((task) => openQuestions(task).length > 0);
  return asks ?? tasks.findLast(({ state }) => state === "working") ?? tasks.findLast(isUnfinished);
}

const START_TASK_OPTIONS = [
  "prompt",
  "workspacePath",
  "settings",
  "contextId",
  "messageId",
  "callDepth",
  "signal",
] satisfies (keyof StartTaskOptions)[];

const SETTINGS = [
  "model",
  "autoExecute",
  "allowedTools",
  "mcpServers",
] satisfies (keyof AgentSettings)[];

/** Refuses an unknown option and names the nearest known one. */
async function checkSpelling(
  given: object | undefined,
  known: readonly string[],
  prefix: string,
): Promise<void> {
  const name = findUnknownName(given, known);
  if (name === undefined) return;
  const { explainName } = await import("./errors/explain-setup.js");
  failAt("", explainName(name, known, prefix));
}

function withSettings(
  workspacePath: string | undefined,
  settings: Partial<Omit<AgentSettings, "workspacePath">> | undefined,
): { readonly settings?: AgentSettings } {
  if (workspacePath !== undefined) {
    return { settings: { allowedTools: [], mcpServers: {}, ...settings, workspacePath } };
  }
  if (settings === undefined) return {};
  throw new SetupError("settings need a workspacePath");
}
