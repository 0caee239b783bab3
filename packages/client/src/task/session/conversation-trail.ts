import { isTerminalState, reduceTaskView, type SessionEvent, type TaskView } from "@dt/schema";
import { createListeners } from "../../events/listeners.js";
import type { Update } from "../channel/agent-channel.js";
import { eventsBetween } from "./events-between.js";
import { continueView } from "./session-view.js";

/** How far a loop has come: in which task of the conversation, and after which of its events. */
export interface Place {
  readonly leg: number;
  readonly cursor: string | undefined;
}

/** The tasks of one conversation, in order, and what is known of it. */
export interface ConversationTrail {
  /** What is known; the same object until it changes. */
  readonly view: TaskView;
  /** The last task. */
  readonly taskId: string;
  /** Where the view has come to. */
  readonly place: Place;
  taskAt(place: Place): string;
  onChange(listener: () => void): () => void;
  /** Takes what a loop heard into the view, unless another loop was there first; gives its events. */
  take(update: Update, at: Place): readonly SessionEvent[];
  /** Where a loop goes on that came to the end of a task; undefined after the last. */
  findNext(at: Place): Place | undefined;
  /** Adds the task that a prompt made; not one that is known. */
  add(task: TaskView): void;
  /** Shows a state that is known before its event; not if anything came since `before`. */
  showState(state: TaskView["state"], before: TaskView): void;
}

interface Leg {
  readonly taskId: string;
  readonly cursor: string | undefined;
  /** The task as the prompt made it, until the view has come here. */
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

  /** Whether a loop is where the view is: then it is the one that takes it further. */
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
    // Else the rest of the task before comes first, whoever reads it.
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
