import {
  type AgentSettings,
  type CommandExecutionStatus,
  isProtocolError,
  type Origin,
  ProtocolError,
  type SlashCommand,
  type TaskView,
} from "@dt/schema";
import {
  emptyGeminiMemory,
  encodeGeminiPrompt,
  type GeminiStep,
  openGeminiTask,
} from "@dt/schema/gemini";
import type { A2aFrame, ClientMessage } from "@dt/schema/wire";
import { TransportError } from "../errors/transport-error.js";
import type { TaskChannel } from "../task/channel/agent-channel.js";
import type { ConnectionMonitor } from "../task/connection-monitor.js";
import { createTaskReader } from "../task/task-reader.js";
import { linkSignals, untilAborted } from "../transport/abort-signals.js";
import { listGeminiCommands, runGeminiCommand } from "./gemini-commands.js";
import { createGeminiLine, type GeminiLineOptions } from "./gemini-line.js";
import type { GeminiTaskStart } from "./gemini-record.js";
import type { AnswerPatience } from "./gemini-scope.js";
import { createGeminiTask, type GeminiTask } from "./gemini-task.js";
import { createKeepWarm } from "./keep-warm.js";
import { openTurn } from "./open-turn.js";

/** How many tasks are remembered before those that rest, and that nobody follows, are forgotten. */
const MAX_TASKS = 200;

/** What a channel to gemini-cli's server is made of. */
export interface GeminiChannelOptions extends GeminiLineOptions {
  /** Aborts when the client closes. */
  readonly closing: AbortSignal;
  readonly monitor: ConnectionMonitor;
  /** How this client names itself in its own view. */
  readonly origin: Origin;
  /** Default: 5 s for edits, 30 s for other answers. */
  readonly patience?: AnswerPatience;
}

/** A channel to gemini-cli's own a2a-server, with the commands that it serves beside A2A. */
export interface GeminiChannel extends TaskChannel {
  commands(signal?: AbortSignal): Promise<readonly SlashCommand[]>;
  /** Runs a command; its events are those of the task of the view. */
  run(
    commandPath: readonly string[],
    args: string,
    signal?: AbortSignal,
  ): Promise<GeminiCommandRun>;
}

/** How a command began: with the task that it runs as, or why it did not. */
export interface GeminiCommandRun {
  readonly status: CommandExecutionStatus;
  readonly message: string;
  readonly view?: TaskView;
}

/**
 * Talks to gemini-cli's own a2a-server and works around its faults, which the package's README names.
 * The log of each task is kept here, since the peer has none.
 */
export function createGeminiChannel(options: GeminiChannelOptions): GeminiChannel {
  const { closing, monitor, origin } = options;
  const tasks = new Map<string, GeminiTask>();
  const line = createGeminiLine(options);
  const keepWarm = createKeepWarm({
    peek: async (taskId) => await tasks.get(taskId)?.peek(),
    idle: () => line.idle,
    closing,
  });
  const scope = {
    line,
    keepWarm,
    closing,
    monitor,
    origin,
    patience: options.patience ?? { editMs: 5_000, otherMs: 30_000 },
    now: () => new Date().toISOString(),
    createId: () => globalThis.crypto.randomUUID(),
  };

  function add(known: GeminiStep, start: GeminiTaskStart): GeminiTask {
    const task = createGeminiTask(known, start, scope);
    tasks.set(known.memory.taskId, task);
    if (tasks.size > MAX_TASKS) {
      const idle = [...tasks].find(([, { isIdle }]) => isIdle);
      if (idle !== undefined) tasks.delete(idle[0]);
    }
    return task;
  }

  /** A task of which this is the first frame, and which is read to its end from here on. */
  function follow(first: A2aFrame, frames: AsyncIterable<A2aFrame>, start: GeminiTaskStart) {
    const task = add({ memory: memoryOf(first), events: [] }, start);
    const { view } = task;
    task.read(first, frames);
    return view;
  }

  async function startTask(
    { parts, settings }: Extract<ClientMessage, { type: "prompt" }>,
    contextId: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<TaskView> {
    const prompt = { messageId: scope.createId(), parts };
    const kept = settings && { settings };
    const message = encodeGeminiPrompt(
      { parts, ...kept },
      { messageId: prompt.messageId, ...(contextId !== undefined && { contextId }) },
    );
    const { first, frames } = await openTurn(line, message, { closing, signal });
    monitor.report({ status: "connected" });
    return follow(first, frames, { prompt, ...kept });
  }

  /** A task that this client did not begin, or forgot: from the history that a subscription shows. */
  async function open(taskId: string, signal: AbortSignal | undefined): Promise<GeminiTask> {
    const remembered = tasks.get(taskId);
    if (remembered !== undefined) return remembered;
    signal?.throwIfAborted();
    const link = linkSignals(closing);
    const stream = line.stream("tasks/resubscribe", { id: taskId }, link.signal);
    const frames = untilReleased(stream, link.release);
    const { value: first } = await untilAborted(frames.next(), signal).catch((reason: unknown) => {
      link.abort(reason);
      throw reason;
    });
    if (first?.type !== "task") {
      throw new TransportError("unreadable", "the agent answered with no task");
    }
    const { status, history = [] } = first.task;
    const known = history.map(({ messageId }) => messageId);
    const task = add(openGeminiTask(first.task), { known });
    if (status.state === "working") task.read(undefined, frames);
    else task.join(frames);
    return task;
  }

  const channel: GeminiChannel = {
    createReader: (options, start) => createTaskReader(channel, options, start),
    continuesEndedTasks: true,

    async send(content, { taskId, contextId }, signal) {
      signal?.throwIfAborted();
      const task = taskId === undefined ? undefined : await open(taskId, signal);
      if (content.type === "confirmation") {
        if (task === undefined) throw new ProtocolError("invalid-message", "taskId: required");
        // Whoever gives up waiting does not take the answer back: it may have been acted upon.
        return await untilAborted(task.answer(content.confirmations), signal);
      }
      if (task !== undefined && !task.isClosed) {
        const view = await task.prompt(content.parts, signal).catch((reason: unknown) => {
          if (!isEndedTask(reason)) throw reason;
        });
        if (view !== undefined) return view;
      }
      // The peer takes nothing for a task that it ended: the session goes on as a new one.
      const settings: AgentSettings | undefined = content.settings ?? task?.settings;
      const session = contextId ?? task?.view.contextId;
      return await startTask({ ...content, ...(settings && { settings }) }, session, signal);
    },
    get: async (taskId, signal) => (await open(taskId, signal)).view,
    cancel: async (taskId, signal) => await (await open(taskId, signal)).cancel(signal),

    async *follow(taskId, after, signal) {
      const link = linkSignals(closing, signal);
      try {
        yield* (await open(taskId, link.signal)).follow(after, link.signal);
      } catch (reason) {
        if (!link.signal.aborted) throw reason;
      } finally {
        link.release();
      }
    },

    commands: async (signal) => await listGeminiCommands(line, signal),
    async run(commandPath, args, signal) {
      const command = await runGeminiCommand(line, { commandPath, args }, { ...scope, signal });
      if (command.status !== "STARTED") return command;
      const { value: first } = await untilAborted(command.frames.next(), signal);
      const view = follow(first, command.frames, {});
      return { status: command.status, message: "", view };
    },
  };
  return channel;
}

async function* untilReleased<TFrame>(
  frames: AsyncIterable<TFrame>,
  release: () => void,
): AsyncGenerator<TFrame, undefined, undefined> {
  try {
    yield* frames;
  } finally {
    release();
  }
  return undefined;
}

// Someone else canceled it while it rested. The peer has no code of its own for that.
function isEndedTask(reason: unknown): boolean {
  return isProtocolError(reason) && reason.code === "invalid-request";
}

function memoryOf(frame: A2aFrame | undefined) {
  if (frame?.type === "task") return emptyGeminiMemory(frame.task.id, frame.task.contextId);
  if (frame?.type === "status-update") return emptyGeminiMemory(frame.taskId, frame.contextId);
  throw new TransportError("unreadable", "the agent answered with no task");
}
