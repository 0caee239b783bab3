import {
  type AgentSettings,
  emptyTaskView,
  isTerminalState,
  type Origin,
  reduceTaskView,
  type TaskView,
  textOf,
} from "@dt/schema";
import {
  advanceGeminiTask,
  type GeminiInput,
  type GeminiMemory,
  type GeminiStep,
  hasUnannouncedGeminiQuestion,
} from "@dt/schema/gemini";
import { onAbort } from "../transport/abort-signals.js";
import { createEventLog, type EventLog } from "./event-log.js";
import type { GeminiTaskScope } from "./gemini-scope.js";
import type { GeminiPrompt } from "./gemini-turns.js";

/**
 * Time without a frame after which this client assumes that the peer waits for an answer to its last
 * tool calls. Some versions of the peer close the stream when they wait; others leave it open.
 */
const QUIET_MS = 1_000;

/** Data that this client has about a task before the first event of the task arrives. */
export interface GeminiTaskStart {
  readonly prompt?: GeminiPrompt;
  readonly settings?: AgentSettings;
  /** Ids of the messages in the task when this client opened it. They cannot answer an open question. */
  readonly known?: readonly string[];
}

/** Memory of one task, and the log of its events. */
export interface GeminiRecord {
  memory(): GeminiMemory;
  readonly log: EventLog;
  /** Advances the memory by an input, and appends the resulting events to the log. */
  apply(input: GeminiInput): void;
  recordQueue(queue: readonly GeminiPrompt[]): void;
  warn(content: string): void;
}

/** Creates the record of a task from its known state. */
export function createGeminiRecord(
  known: GeminiStep,
  start: GeminiTaskStart,
  { keepAlive, closing, origin, now, createId }: GeminiTaskScope,
): GeminiRecord {
  const { taskId } = known.memory;
  const log = createEventLog(viewOf(known, start.prompt, origin), createId().replaceAll(".", ""));
  let memory: GeminiMemory = known.memory;
  let quiet: ReturnType<typeof setTimeout> | undefined;
  onAbort(closing, () => clearTimeout(quiet));
  // While a question is open, `keepAlive` requests the task repeatedly. These requests keep the connections
  // open, and show whether another client has answered.
  if (memory.state === "input-required") keepAlive.hold(taskId);

  function apply(input: GeminiInput): void {
    const step = advanceGeminiTask(memory, input);
    memory = step.memory;
    log.append(step.events);
    if (isTerminalState(memory.state)) keepAlive.release(taskId);
    else if (memory.state === "input-required") keepAlive.hold(taskId);
    clearTimeout(quiet);
    if (hasUnannouncedGeminiQuestion(memory)) {
      quiet = setTimeout(() => apply({ type: "quiet", at: now() }), QUIET_MS);
    }
    log.wake();
  }

  return {
    memory: () => memory,
    log,
    apply,
    recordQueue(queue) {
      const prompts = queue.map(({ messageId, parts }) => ({
        messageId,
        text: textOf(parts),
        origin,
      }));
      log.append([{ kind: "QUEUE", prompts, ...headOf(log.view) }]);
    },
    warn(content) {
      const warning = { type: "warn", content };
      log.append([{ kind: "CONSOLE_LOG", log: warning, ...headOf(log.view) }]);
    },
  };
}

function headOf({ taskId, contextId, state, at }: GeminiMemory | TaskView) {
  return { taskId, contextId, state, at };
}

function viewOf(known: GeminiStep, prompt: GeminiPrompt | undefined, origin: Origin): TaskView {
  const head = headOf(known.memory);
  const empty = { ...emptyTaskView(head.taskId, head.contextId), ...head };
  const view = known.events.reduce(reduceTaskView, empty);
  if (prompt === undefined) return view;
  return reduceTaskView(view, { kind: "USER_PROMPT", ...prompt, origin, ...head });
}
