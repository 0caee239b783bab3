import {
  type AgentSettings,
  type CommandExecutionStatus,
  isProtocolError,
  type Origin,
  ProtocolError,
  type SlashCommand,
  type TaskView,
} from "@dt/schema";
import { encodeGeminiPrompt } from "@dt/schema/gemini";
import type { ClientMessage } from "@dt/schema/wire";
import type { MessageTarget, TaskChannel } from "../task/channel/agent-channel.js";
import type { ConnectionMonitor } from "../task/connection-monitor.js";
import { createTaskReader } from "../task/task-reader.js";
import { linkSignals, untilAborted } from "../transport/abort-signals.js";
import type { WallClock } from "../transport/wall-clock.js";
import { listGeminiCommands, runGeminiCommand } from "./gemini-commands.js";
import { createGeminiHttp, type GeminiHttpOptions } from "./gemini-http.js";
import type { AnswerTimeouts } from "./gemini-scope.js";
import { createGeminiTasks } from "./gemini-tasks.js";
import { createKeepAlive } from "./keep-alive.js";
import { openTurn } from "./open-turn.js";

/** Dependencies of a channel to gemini-cli's server. */
export interface GeminiChannelOptions extends GeminiHttpOptions {
  /** Aborts when the client closes. */
  readonly closing: AbortSignal;
  readonly monitor: ConnectionMonitor;
  /** The origin that the view shows for the prompts and answers of this client. */
  readonly origin: Origin;
  /** Timeouts of the peer's reply to an answer. Default: 5 s if the answer has edited content, else 30 s. */
  readonly answerTimeouts?: AnswerTimeouts;
  readonly now: WallClock;
}

/** A channel to gemini-cli's own a2a-server, the peer. It also has methods for the peer's slash commands. */
export interface GeminiChannel extends TaskChannel {
  commands(signal?: AbortSignal): Promise<readonly SlashCommand[]>;
  /** Starts a command. If it starts, the result has the view of its task. */
  run(
    commandPath: readonly string[],
    args: string,
    signal?: AbortSignal,
  ): Promise<GeminiCommandRun>;
}

/** Result of starting a command: the command's task, or the reason why it failed. */
export interface GeminiCommandRun {
  readonly status: CommandExecutionStatus;
  readonly message: string;
  readonly view?: TaskView;
}

/**
 * Creates a channel to gemini-cli's own a2a-server that works around the server's faults. The page
 * docs/gemini-cli-server.md lists these faults. The channel stores the log of each task, because the peer
 * has none.
 */
export function createGeminiChannel(options: GeminiChannelOptions): GeminiChannel {
  const { closing, monitor, origin } = options;
  const http = createGeminiHttp(options);
  const keepAlive = createKeepAlive({
    peek: async (taskId) => await tasks.find(taskId)?.peek(),
    idle: () => http.idle,
    closing,
  });
  const scope = {
    http,
    keepAlive,
    closing,
    monitor,
    origin,
    answerTimeouts: options.answerTimeouts ?? { editMs: 5_000, otherMs: 30_000 },
    now: () => new Date(options.now()).toISOString(),
    createId: () => globalThis.crypto.randomUUID(),
  };
  const tasks = createGeminiTasks(scope);

  async function startTask(
    { parts, settings }: Extract<ClientMessage, { type: "prompt" }>,
    { contextId, messageId = scope.createId() }: MessageTarget,
    signal: AbortSignal | undefined,
  ): Promise<TaskView> {
    const prompt = { messageId, parts };
    const kept = settings && { settings };
    const message = encodeGeminiPrompt(
      { parts, ...kept },
      { messageId: prompt.messageId, ...(contextId !== undefined && { contextId }) },
    );
    const { first, frames } = await openTurn(http, message, { closing, signal });
    monitor.report({ status: "connected" });
    return tasks.follow(first, frames, { prompt, ...kept });
  }

  const channel: GeminiChannel = {
    createReader: (options, start) => createTaskReader(channel, options, start),
    continuesEndedTasks: true,

    async send(content, { taskId, ...target }, signal) {
      signal?.throwIfAborted();
      const task = taskId === undefined ? undefined : await tasks.open(taskId, signal);
      if (content.type === "confirmation") {
        if (task === undefined) throw new ProtocolError("invalid-message", "taskId: required");
        // An abort only ends the wait. It does not withdraw the answer, because the peer may have acted on
        // the answer already.
        return await untilAborted(task.answer(content.confirmations), signal);
      }
      if (task !== undefined && !task.isClosed) {
        const view = await task.prompt(content.parts, signal).catch((reason: unknown) => {
          if (!isEndedTask(reason)) throw reason;
        });
        if (view !== undefined) return view;
      }
      // Either no task was given, or the peer accepts no more messages for the task. The prompt therefore
      // starts a new task.
      const settings: AgentSettings | undefined = content.settings ?? task?.settings;
      const contextId = target.contextId ?? task?.view.contextId;
      const session = { ...target, ...(contextId !== undefined && { contextId }) };
      return await startTask({ ...content, ...(settings && { settings }) }, session, signal);
    },
    get: async (taskId, signal) => (await tasks.open(taskId, signal)).view,
    cancel: async (taskId, signal) => await (await tasks.open(taskId, signal)).cancel(signal),

    async *follow(taskId, after, signal) {
      const link = linkSignals(closing, signal);
      try {
        yield* (await tasks.open(taskId, link.signal)).follow(after, link.signal);
      } catch (reason) {
        if (!link.signal.aborted) throw reason;
      } finally {
        link.release();
      }
    },

    commands: async (signal) => await listGeminiCommands(http, signal),
    async run(commandPath, args, signal) {
      const command = await runGeminiCommand(http, { commandPath, args }, { ...scope, signal });
      if (command.status !== "STARTED") return command;
      const { value: first } = await untilAborted(command.frames.next(), signal);
      const view = tasks.follow(first, command.frames, {});
      return { status: command.status, message: "", view };
    },
  };
  return channel;
}

// Returns true if the peer probably refused a prompt because the task has ended, for example because
// another client canceled it. The peer sends `invalid-request` for an ended task, but also for other
// faults, which this function cannot distinguish.
function isEndedTask(reason: unknown): boolean {
  return isProtocolError(reason) && reason.code === "invalid-request";
}
