import type { TaskView } from "@dt/schema";
import { emptyGeminiMemory, type GeminiStep, openGeminiTask } from "@dt/schema/gemini";
import type { A2aFrame } from "@dt/schema/wire";
import { TransportError } from "../errors/transport-error.js";
import { linkSignals, untilAborted } from "../transport/abort-signals.js";
import type { GeminiTaskStart } from "./gemini-record.js";
import type { GeminiTaskScope } from "./gemini-scope.js";
import { createGeminiTask, type GeminiTask } from "./gemini-task.js";
import { withRelease } from "./open-turn.js";

/** Maximum number of remembered tasks. If there are more, idle tasks are forgotten. */
const MAX_TASKS = 200;

/** Tasks that a channel remembers. */
export interface GeminiTasks {
  find(taskId: string): GeminiTask | undefined;
  /** Adds the task that the first frame names, and reads the stream to its end. */
  follow(first: A2aFrame, frames: AsyncIterable<A2aFrame>, start: GeminiTaskStart): TaskView;
  /**
   * Returns a remembered task. Restores any other task by a subscription, whose first frame has the task's
   * history.
   */
  open(taskId: string, signal: AbortSignal | undefined): Promise<GeminiTask>;
}

/** Creates an empty set of tasks. */
export function createGeminiTasks(scope: GeminiTaskScope): GeminiTasks {
  const { http, closing } = scope;
  const tasks = new Map<string, GeminiTask>();

  function add(known: GeminiStep, start: GeminiTaskStart): GeminiTask {
    const task = createGeminiTask(known, start, scope);
    tasks.set(known.memory.taskId, task);
    if (tasks.size > MAX_TASKS) {
      const idle = [...tasks].find(([, { isIdle }]) => isIdle);
      if (idle !== undefined) tasks.delete(idle[0]);
    }
    return task;
  }

  function follow(first: A2aFrame, frames: AsyncIterable<A2aFrame>, start: GeminiTaskStart) {
    const task = add({ memory: memoryOf(first), events: [] }, start);
    const { view } = task;
    task.read(first, frames);
    return view;
  }

  async function open(taskId: string, signal: AbortSignal | undefined): Promise<GeminiTask> {
    const remembered = tasks.get(taskId);
    if (remembered !== undefined) return remembered;
    signal?.throwIfAborted();
    const link = linkSignals(closing);
    const stream = http.stream("tasks/resubscribe", { id: taskId }, link.signal);
    const frames = withRelease(stream, link.release);
    const { value: first } = await untilAborted(frames.next(), signal).catch((reason: unknown) => {
      link.abort(reason);
      throw reason;
    });
    if (first?.type !== "task") throw noTask();
    const { status, history = [] } = first.task;
    const known = history.map(({ messageId }) => messageId);
    const task = add(openGeminiTask(first.task), { known });
    if (status.state === "working") task.read(undefined, frames);
    else task.join(frames);
    return task;
  }

  return { find: (taskId) => tasks.get(taskId), follow, open };
}

function memoryOf(frame: A2aFrame | undefined) {
  if (frame?.type === "task") return emptyGeminiMemory(frame.task.id, frame.task.contextId);
  if (frame?.type === "status-update") return emptyGeminiMemory(frame.taskId, frame.contextId);
  throw noTask();
}

function noTask(): TransportError {
  return new TransportError("unreadable", "the agent sent no task");
}
