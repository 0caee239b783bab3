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
  hasUntoldGeminiQuestion,
} from "@dt/schema/gemini";
import { createEventLog, type EventLog } from "./event-log.js";
import type { GeminiTaskScope } from "./gemini-scope.js";
import type { GeminiPrompt } from "./gemini-turns.js";

/** A peer that waits for an answer with its stream open is silent for so long; others end the stream at once. */
const QUIET_MS = 1_000;

/** The beginning of a task, if this client began it. */
export interface GeminiTaskStart {
  readonly prompt?: GeminiPrompt;
  readonly settings?: AgentSettings;
  /** Messages that existed before, so that none of them answers a question of now. */
  readonly known?: readonly string[];
}

/** The memory of one task, and the log of its events. */
export interface GeminiRecord {
  readonly memory: GeminiMemory;
  readonly log: EventLog;
  /** Advances the memory and appends the events of that to the log. */
  apply(input: GeminiInput): void;
  showQueue(queue: readonly GeminiPrompt[]): void;
  warn(content: string): void;
}

/** Creates the record of a task from what is known of it. */
export function createGeminiRecord(
  known: GeminiStep,
  start: GeminiTaskStart,
  { keepWarm, closing, origin, now, createId }: GeminiTaskScope,
): GeminiRecord {
  const { taskId, contextId } = known.memory;
  const log = createEventLog(viewOf(known, start.prompt, origin), createId().replaceAll(".", ""));
  let memory: GeminiMemory = known.memory;
  let quiet: ReturnType<typeof setTimeout> | undefined;
  closing.addEventListener("abort", () => clearTimeout(quiet), { once: true });
  // A task that is joined while it asks is held too, because others may answer it.
  if (memory.state === "input-required") keepWarm.hold(taskId);

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

  return {
    get memory() {
      return memory;
    },
    log,
    apply,
    showQueue(queue) {
      const prompts = queue.map(({ messageId, parts }) => ({
        messageId,
        text: textOf(parts),
        origin,
      }));
      const { state, at } = log.view;
      log.append([{ kind: "QUEUE", prompts, taskId, contextId, state, at }]);
    },
    warn(content) {
      const { state, at } = log.view;
      const warning = { type: "warn", content };
      log.append([{ kind: "CONSOLE_LOG", log: warning, taskId, contextId, state, at }]);
    },
  };
}

function viewOf(known: GeminiStep, prompt: GeminiPrompt | undefined, origin: Origin): TaskView {
  const { taskId, contextId, state, at } = known.memory;
  const empty = { ...emptyTaskView(taskId, contextId), state, at };
  const view = known.events.reduce(reduceTaskView, empty);
  if (prompt === undefined) return view;
  const own = { kind: "USER_PROMPT", ...prompt, origin, taskId, contextId, state, at } as const;
  return reduceTaskView(view, own);
}
