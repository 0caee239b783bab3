import {
  type AgentSettings,
  emptyTaskView,
  isProtocolError,
  isTerminalState,
  type Origin,
  type Part,
  ProtocolError,
  reduceTaskView,
  type TaskView,
  type ToolCallConfirmation,
  textOf,
} from "@dt/schema";
import {
  advanceGeminiTask,
  encodeGeminiPrompt,
  type GeminiInput,
  type GeminiMemory,
  type GeminiStep,
  hasUntoldGeminiQuestion,
} from "@dt/schema/gemini";
import { type A2aFrame, type A2aTask, spellings } from "@dt/schema/wire";
import type { Update } from "../task/channel/agent-channel.js";
import { drain } from "./drain.js";
import { createEventLog } from "./event-log.js";
import { createAnswering } from "./gemini-answering.js";
import type { GeminiTaskScope } from "./gemini-scope.js";
import { openTurn, SilenceError } from "./open-turn.js";

/** The most prompts that wait for their turn. */
const MAX_QUEUE = 100;

/** How long a peer is silent that waits for an answer with its stream open; others end the stream at once. */
const QUIET_MS = 1_000;

const ABORTS = "gemini-cli's server aborts a turn whose connection is gone";

/** One task of gemini-cli's server, as this client drives it. */
export interface GeminiTask {
  readonly view: TaskView;
  readonly settings: AgentSettings | undefined;
  /** Whether the peer takes no more messages for it. */
  readonly isClosed: boolean;
  /** Whether nothing happens and nobody listens. */
  readonly isIdle: boolean;
  /** Reads a turn to its end; the first frame has been taken from it already. */
  read(first: A2aFrame | undefined, frames: AsyncIterable<A2aFrame>): void;
  /** Reads what a task that seems to rest says after all. */
  join(frames: AsyncGenerator<A2aFrame>): void;
  prompt(parts: readonly Part[], signal: AbortSignal | undefined): Promise<TaskView>;
  answer(confirmations: readonly ToolCallConfirmation[]): Promise<TaskView>;
  cancel(signal: AbortSignal | undefined): Promise<void>;
  /** Takes in what the peer says about the task when it is asked. */
  peek(): Promise<void>;
  follow(after: string | undefined, signal: AbortSignal): AsyncIterable<Update>;
}

/** A prompt on its way. */
export interface OwnPrompt {
  readonly messageId: string;
  readonly parts: readonly Part[];
}

/** How a task began, where this client began it. */
export interface GeminiTaskStart {
  readonly prompt?: OwnPrompt;
  readonly settings?: AgentSettings;
  /** Messages that were there before: no answer among them is one to a question of now. */
  readonly known?: readonly string[];
}

/** A task from what is known of it. */
export function createGeminiTask(
  known: GeminiStep,
  start: GeminiTaskStart,
  scope: GeminiTaskScope,
): GeminiTask {
  const { line, keepWarm, closing, monitor, origin, now, createId } = scope;
  const { taskId, contextId } = known.memory;
  let memory: GeminiMemory = known.memory;
  const log = createEventLog(viewOf(known, start.prompt, origin), createId().replaceAll(".", ""));
  const queue: OwnPrompt[] = [];
  // The stream of the peer that tells what happens; it tells its last before it ends.
  let listening: object | undefined;
  let isBeginning = false;
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  function apply(input: GeminiInput): void {
    const step = advanceGeminiTask(memory, input);
    memory = step.memory;
    log.append(step.events);
    if (isTerminalState(memory.state)) keepWarm.release(taskId);
    else if (memory.state === "input-required") keepWarm.hold(taskId);
    clearTimeout(quiet);
    if (hasUntoldGeminiQuestion(memory)) {
      quiet = setTimeout(() => apply({ type: "quiet", at: now() }), QUIET_MS);
    }
    log.wake();
  }

  closing.addEventListener("abort", () => clearTimeout(quiet), { once: true });

  function lose(reason: string, isClosed = false): void {
    listening = undefined;
    apply({ type: "lost", reason, at: now(), isClosed });
    void goOn();
  }

  function tellQueue(): void {
    const prompts = queue.map(({ messageId, parts }) => ({
      messageId,
      text: textOf(parts),
      origin,
    }));
    const { state, at } = log.view;
    log.append([{ kind: "QUEUE", prompts, taskId, contextId, state, at }]);
  }

  /** Reads a stream to its end; one that began with a task, `shown`, may say no more. */
  async function read(
    first: A2aFrame | undefined,
    frames: AsyncIterable<A2aFrame>,
    shown?: A2aTask,
  ) {
    const own = {};
    listening = own;
    let isSilent = first === undefined;
    const take = (frame: A2aFrame) => {
      isSilent = false;
      if (listening !== own) return;
      apply({ type: "frame", frame });
      if (frame.type !== "status-update" || !frame.isFinal) return;
      listening = undefined;
      void goOn();
    };
    let reason = `the stream ended in the middle of a turn; ${ABORTS}`;
    let hasEnded = false;
    try {
      if (first !== undefined) take(first);
      // To its very end: leaving it would let go of the connection, and the peer would abort.
      for await (const frame of frames) take(frame);
      hasEnded = true;
    } catch (cause) {
      reason = describeLoss(cause);
    }
    if (listening !== own) return;
    if (closing.aborted) {
      listening = undefined;
    } else if (isSilent && hasEnded && shown !== undefined) {
      listening = undefined;
      apply({ type: "rest", task: shown, at: now() });
      void goOn();
    } else lose(reason);
  }

  /** Joins a task that seems to rest: its tool may be running all the same. */
  async function join(frames: AsyncGenerator<A2aFrame>): Promise<void> {
    const first = await frames.next().catch(() => undefined);
    if (first === undefined || first.done === true) return;
    if (listening === undefined) await read(first.value, frames);
    else await drain(frames);
  }

  /** Begins the next turn that waits, or says that it never will. */
  async function goOn(): Promise<void> {
    if (listening !== undefined || isBeginning || closing.aborted || !isTerminalState(memory.state))
      return;
    const next = queue.shift();
    if (next === undefined) return;
    if (memory.isClosed) {
      queue.length = 0;
      tellQueue();
      const content = "prompts that waited were not sent: the task has ended";
      const { state, at } = log.view;
      const warning = { type: "warn", content };
      log.append([{ kind: "CONSOLE_LOG", log: warning, taskId, contextId, state, at }]);
      return;
    }
    tellQueue();
    await begin(next, undefined).catch((reason: unknown) => {
      apply({ type: "prompt", ...next, origin, at: now() });
      lose(describeLoss(reason));
    });
  }

  async function begin(prompt: OwnPrompt, signal: AbortSignal | undefined): Promise<void> {
    isBeginning = true;
    try {
      const message = encodeGeminiPrompt(
        { parts: prompt.parts },
        { messageId: prompt.messageId, taskId },
      );
      const { first, frames } = await openTurn(line, message, { closing, signal });
      apply({ type: "prompt", ...prompt, origin, at: now() });
      void read(first, frames);
    } finally {
      isBeginning = false;
      log.wake();
    }
  }

  const answering = createAnswering({
    taskId,
    scope,
    known: start.known ?? [],
    memory: () => memory,
    apply,
    lose: (reason, isClosed) =>
      lose(reason instanceof SilenceError ? reason.message : describeLoss(reason), isClosed),
    isHeard: () => listening !== undefined,
    read: (first, frames, shown) => void read(first, frames, shown),
  });

  // One that is joined while it asks: others may answer it.
  if (memory.state === "input-required") keepWarm.hold(taskId);

  const isResting = () =>
    isTerminalState(memory.state) && listening === undefined && !isBeginning && queue.length === 0;

  return {
    get view() {
      return log.view;
    },
    get isClosed() {
      return memory.isClosed;
    },
    get isIdle() {
      return isResting() && log.followers === 0;
    },
    settings: start.settings,
    read(first, frames) {
      void read(first, frames);
    },
    join(frames) {
      void join(frames);
    },
    follow: (after, signal) => log.follow(after, { isOver: isResting, signal }),
    async prompt(parts, signal) {
      const prompt = { messageId: createId(), parts };
      if (isResting()) {
        await begin(prompt, signal).catch((reason: unknown) => {
          void goOn();
          throw reason;
        });
        return log.view;
      }
      // Checked now, since whoever sends it is told of a fault now.
      encodeGeminiPrompt({ parts }, prompt);
      if (queue.length >= MAX_QUEUE) {
        throw new ProtocolError("agent-busy", `${MAX_QUEUE} prompts wait already`);
      }
      // The peer discards what is sent during a turn, so it waits here.
      queue.push(prompt);
      tellQueue();
      return log.view;
    },
    answer: async (confirmations) => {
      await answering.answer(confirmations);
      return log.view;
    },
    async cancel(signal) {
      // Resting, it would only lose the conversation.
      if (isTerminalState(memory.state)) {
        throw new ProtocolError("task-not-cancelable", `task ${taskId} has ended`);
      }
      const json = await line.call("tasks/cancel", { id: taskId }, signal);
      apply({ type: "frame", frame: spellings["0.3"].decodeFrame(json, "result") });
      await goOn();
    },
    async peek() {
      try {
        const json = await line.call("tasks/get", { id: taskId }, closing);
        failures = 0;
        monitor.report({ status: "connected" });
        const task = spellings["0.3"].decodeTask(json, "result");
        apply({ type: "frame", frame: { type: "task", task } });
        if (listening === undefined) await answering.look(task.status.timestamp);
      } catch (reason) {
        if (closing.aborted) return;
        failures += 1;
        const retryInMs = keepWarm.intervalMs;
        monitor.report({ status: "reconnecting", attempt: failures, retryInMs, reason });
        if (isProtocolError(reason))
          lose(`the agent no longer knows the task: ${reason.message}`, true);
        else if (failures >= 3) lose(describeLoss(reason));
      }
    },
  };
}

function viewOf(known: GeminiStep, prompt: OwnPrompt | undefined, origin: Origin): TaskView {
  const { taskId, contextId, state, at } = known.memory;
  const empty = { ...emptyTaskView(taskId, contextId), state, at };
  const view = known.events.reduce(reduceTaskView, empty);
  if (prompt === undefined) return view;
  const own = { kind: "USER_PROMPT", ...prompt, origin, taskId, contextId, state, at } as const;
  return reduceTaskView(view, own);
}

function describeLoss(reason: unknown): string {
  const said = reason instanceof Error ? reason.message : String(reason);
  if (!isProtocolError(reason)) return `${said}; ${ABORTS}`;
  return reason.code === "invalid-message" ? `the agent cannot be understood: ${said}` : said;
}
