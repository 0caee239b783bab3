import { isTerminalState, reduceTaskView, type SessionEvent, type TaskView } from "@dt/schema";
import { createListeners } from "../../events/listeners.js";
import type { Update } from "../channel/agent-channel.js";
import { eventsBetween } from "./events-between.js";
import { continueView } from "./session-view.js";

/** Position of a loop: a task of the conversation, and the cursor of its last event. */
export interface Place {
  readonly leg: number;
  readonly cursor: string | undefined;
}

/** The tasks of one conversation in order, and its view. */
export interface ConversationTrail {
  /** The conversation so far; the same object until it changes. */
  readonly view: TaskView;
  /** Id of the last task. */
  readonly taskId: string;
  /** Position of the view. */
  readonly place: Place;
  taskAt(place: Place): string;
  onChange(listener: () => void): () => void;
  /** Adds an update of a loop to the view, unless another loop added it before; returns its events. */
  take(update: Update, at: Place): readonly SessionEvent[];
  /** Finds the position after the end of a task; undefined after the last task. */
  findNext(at: Place): Place | undefined;
  /** Adds the task that a prompt created, if it is new. */
  add(task: TaskView): void;
  /** Shows a state before its event arrives, unless the view has changed since `before`. */
  showState(state: TaskView["state"], before: TaskView): void;
}

interface Leg {
  readonly taskId: string;
  readonly cursor: string | undefined;
  /** View of the new task, until a loop reaches it. */
  start?: TaskView | undefined;
}

/** Creates the trail of a conversation that begins with a task. */
export function createConversationTrail(start: TaskView): ConversationTrail {
  const changes = createListeners<void>();
  const legs: Leg[] = [{ taskId: start.taskId, cursor: start.cursor }];
  let view = start;
  let viewLeg = 0;

  function setView(next: TaskView): void {
    view = next;
    changes.tell();
  }

  /** Returns true if a loop is at the position of the view, so that it advances the view. */
  function isFirst({ leg, cursor }: Place): boolean {
    return leg === viewLeg && cursor === view.cursor;
  }

  function enterNext(): void {
    const leg = legs[viewLeg + 1];
    if (leg?.start === undefined) return;
    viewLeg += 1;
    setView(continueView(view, leg.start));
    leg.start = undefined;
  }

  function add(task: TaskView): void {
    if (legs.some(({ taskId }) => taskId === task.taskId)) return;
    legs.push({ taskId: task.taskId, cursor: task.cursor, start: task });
    // Otherwise a loop must read the rest of the earlier task first.
    if (isTerminalState(view.state) && viewLeg === legs.length - 2) enterNext();
  }

  return {
    get view() {
      return view;
    },
    get taskId() {
      return legs.at(-1)?.taskId ?? view.taskId;
    },
    get place() {
      return { leg: viewLeg, cursor: view.cursor };
    },
    taskAt: ({ leg }) => legs[leg]?.taskId ?? view.taskId,
    onChange: changes.add,
    take(update, at) {
      if (update.type === "event") {
        if (isFirst(at)) setView(reduceTaskView(view, update.event));
        return [update.event];
      }
      if (!isFirst(at)) return [];
      const events = eventsBetween(view, update.view);
      setView(update.view);
      return events;
    },
    findNext(at) {
      const leg = legs[at.leg + 1];
      if (leg === undefined) return undefined;
      if (isFirst(at)) enterNext();
      return { leg: at.leg + 1, cursor: leg.cursor };
    },
    add,
    showState(state, before) {
      if (view === before && viewLeg === legs.length - 1) setView({ ...view, state });
    },
  };
}
