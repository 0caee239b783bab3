import {
  isTerminalState,
  openQuestions,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import { createListeners } from "../../events/listeners.js";
import type { Update } from "../channel/agent-channel.js";
import { eventsBetween } from "./events-between.js";
import { continueView } from "./session-view.js";

/** Position of a loop: the index of a task in the sequence, and the cursor of the last event it has read. */
export interface SequencePosition {
  readonly index: number;
  readonly cursor: string | undefined;
}

/** The tasks of one conversation in order, and its view. */
export interface TaskSequence {
  /** The conversation so far; the same object until it changes. */
  readonly view: TaskView;
  /** Id of the last task. */
  readonly taskId: string;
  /** Position of the last event in the view. */
  readonly position: SequencePosition;
  taskAt(position: SequencePosition): string;
  onChange(listener: () => void): () => void;
  /** Adds an update to the view, unless another loop added it before. Returns the events to yield. */
  apply(update: Update, at: SequencePosition): readonly SessionEvent[];
  /**
   * Finds the start of the next task; undefined if there is no next task. If no other loop is further
   * ahead, the view changes to the next task.
   */
  findNext(at: SequencePosition): SequencePosition | undefined;
  /** Adds the task that accepted a prompt, unless the sequence already has this task. */
  add(task: TaskView): void;
  /**
   * Shows a state before its event arrives, unless the view has changed since `before` or another task
   * follows.
   */
  showState(state: TaskView["state"], before: TaskView): void;
}

interface SequenceEntry {
  readonly taskId: string;
  readonly cursor: string | undefined;
  /** View of a new task; undefined once a loop has reached the task. */
  start?: TaskView | undefined;
}

/** Creates the sequence of a conversation that begins with a task. */
export function createTaskSequence(start: TaskView): TaskSequence {
  const changes = createListeners<void>();
  const entries: SequenceEntry[] = [{ taskId: start.taskId, cursor: start.cursor }];
  let view = start;
  let viewIndex = 0;

  function setView(next: TaskView): void {
    view = next;
    changes.notify();
  }

  /** Returns true if a loop is at the position of the view. The loop's next update then changes the view. */
  function isAhead({ index, cursor }: SequencePosition): boolean {
    return index === viewIndex && cursor === view.cursor;
  }

  function enterNext(): void {
    const entry = entries[viewIndex + 1];
    if (entry?.start === undefined) return;
    viewIndex += 1;
    setView(continueView(view, entry.start));
    entry.start = undefined;
  }

  function add(task: TaskView): void {
    if (entries.some(({ taskId }) => taskId === task.taskId)) return;
    entries.push({ taskId: task.taskId, cursor: task.cursor, start: task });
    // If the earlier task has not ended, a loop must read it first.
    if (isTerminalState(view.state) && viewIndex === entries.length - 2) enterNext();
  }

  return {
    get view() {
      return view;
    },
    get taskId() {
      return entries.at(-1)?.taskId ?? view.taskId;
    },
    get position() {
      return { index: viewIndex, cursor: view.cursor };
    },
    taskAt: ({ index }) => entries[index]?.taskId ?? view.taskId,
    onChange: changes.add,
    apply(update, at) {
      if (update.type === "event") {
        if (isAhead(at)) setView(reduceTaskView(view, update.event));
        return [update.event];
      }
      if (!isAhead(at)) return [];
      const events = eventsBetween(view, update.view, openQuestions);
      setView(update.view);
      return events;
    },
    findNext(at) {
      const entry = entries[at.index + 1];
      if (entry === undefined) return undefined;
      if (isAhead(at)) enterNext();
      return { index: at.index + 1, cursor: entry.cursor };
    },
    add,
    showState(state, before) {
      if (view === before && viewIndex === entries.length - 1) setView({ ...view, state });
    },
  };
}
