import {
  type AgentSettings,
  isProtocolError,
  isTerminalState,
  type Part,
  ProtocolError,
  type TaskView,
  type ToolCallConfirmation,
} from "@dt/schema";
import { GEMINI_SPELLING, type GeminiStep } from "@dt/schema/gemini";
import type { A2aFrame } from "@dt/schema/wire";
import type { Update } from "../task/channel/agent-channel.js";
import { createAnswering } from "./gemini-answering.js";
import { createGeminiRecord, type GeminiTaskStart } from "./gemini-record.js";
import type { GeminiTaskScope } from "./gemini-scope.js";
import { createTurnRunner } from "./turn-runner.js";

/** Number of consecutive failed calls of `peek` after which a turn counts as lost. */
const MAX_FAILURES = 3;

/** One task of gemini-cli's server, as this client drives it. */
export interface GeminiTask {
  readonly view: TaskView;
  readonly settings: AgentSettings | undefined;
  /** True if the peer accepts no more messages for the task. */
  readonly isClosed: boolean;
  /** True if no turn runs and the task has no follower. */
  readonly isIdle: boolean;
  /** Reads a turn to its end. `first` is a frame that the caller has already read. */
  read(first: A2aFrame | undefined, frames: AsyncIterable<A2aFrame>): void;
  /** Reads the stream of a task that seems to be idle, although a tool of the task may still be running. */
  join(frames: AsyncGenerator<A2aFrame>): void;
  prompt(parts: readonly Part[], signal: AbortSignal | undefined): Promise<TaskView>;
  answer(confirmations: readonly ToolCallConfirmation[]): Promise<TaskView>;
  cancel(signal: AbortSignal | undefined): Promise<void>;
  /** Requests the task from the peer, records the reply, and checks for another client's answer. */
  peek(): Promise<void>;
  follow(after: string | undefined, signal: AbortSignal): AsyncIterable<Update>;
}

/** Creates a task from its known state. */
export function createGeminiTask(
  known: GeminiStep,
  start: GeminiTaskStart,
  scope: GeminiTaskScope,
): GeminiTask {
  const { http, keepAlive, closing, monitor, createId } = scope;
  const { taskId } = known.memory;
  const record = createGeminiRecord(known, start, scope);
  const turns = createTurnRunner(record, scope);
  const { log, apply } = record;
  const { read, lose } = turns;
  let failures = 0;

  const answering = createAnswering({
    ...record,
    ...turns,
    taskId,
    scope,
    known: start.known ?? [],
  });

  return {
    get view() {
      return log.view;
    },
    get isClosed() {
      return record.memory().isClosed;
    },
    get isIdle() {
      return turns.isIdle() && log.followers === 0;
    },
    settings: start.settings,
    read,
    join: (frames) => void turns.join(frames),
    follow: (after, signal) => log.follow(after, { isOver: turns.isIdle, signal }),
    async prompt(parts, signal) {
      await turns.send({ messageId: createId(), parts }, signal);
      return log.view;
    },
    answer: async (confirmations) => {
      await answering.answer(confirmations);
      return log.view;
    },
    async cancel(signal) {
      // In a terminal state no turn runs. A cancel would then end the whole task, and the peer would accept
      // no more prompts for it.
      if (isTerminalState(record.memory().state)) {
        throw new ProtocolError("task-not-cancelable", `task ${taskId} has ended`);
      }
      const json = await http.call("tasks/cancel", { id: taskId }, signal);
      apply({ type: "frame", frame: GEMINI_SPELLING.decodeFrame(json, "result") });
      await turns.startNext();
    },
    async peek() {
      try {
        const json = await http.call("tasks/get", { id: taskId }, closing);
        failures = 0;
        monitor.report({ status: "connected" });
        const task = GEMINI_SPELLING.decodeTask(json, "result");
        apply({ type: "frame", frame: { type: "task", task } });
        if (!turns.isStreaming()) await answering.checkForRival(task.status.timestamp);
      } catch (reason) {
        if (closing.aborted) return;
        failures += 1;
        const retryInMs = keepAlive.intervalMs;
        monitor.report({ status: "reconnecting", attempt: failures, retryInMs, reason });
        if (isProtocolError(reason))
          lose(`the agent no longer knows the task: ${reason.message}`, true);
        else if (failures >= MAX_FAILURES) lose(reason);
      }
    },
  };
}
