import {
  emptyTaskView,
  isTerminalState,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import { createListeners } from "../events/listeners.js";
import type { Update } from "./agent-channel.js";
import { eventsBetween } from "./events-between.js";

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
  /**
   * Where a loop begins that goes on from a cursor of any of the tasks. Nothing comes after it of those
   * that ended before, which `hasMore` tells: the first of the others is looked for by halves.
   */
  startOf(after: string, hasMore: (at: Place) => Promise<boolean>): Promise<Place>;
  taskAt(place: Place): string;
  onChange(listener: () => void): () => void;
  /** Takes what a loop heard into the view, unless another loop was there first; gives its events. */
  take(update: Update, at: Place): readonly SessionEvent[];
  /** Whether the task of a place is not the last. */
  hasNext(at: Place): boolean;
  /** Where a loop goes on that came to the end of a task; undefined after the last. */
  findNext(at: Place): Place | undefined;
  /** Adds the task that a prompt made; not one that is known. */
  add(task: TaskView): void;
  isKnown(task: TaskView): boolean;
  /** Adds those of a session's tasks, in order, that come after all that are known. */
  addLater(tasks: readonly TaskView[]): void;
  /** Shows a state that is known before its event; not if anything came since `before`. */
  showState(state: TaskView["state"], before: TaskView): void;
}

interface Leg {
  readonly taskId: string;
  readonly cursor: string | undefined;
  /** The task as the prompt made it, until the view has come here. */
  start?: TaskView | undefined;
}

/** What a trail begins with. */
export interface TrailStart {
  /** The conversation so far, of which the last task is the view's. */
  readonly view: TaskView;
  /** The tasks before it, in order. */
  readonly earlier: readonly string[];
  /** The tasks after it, in order: they wait for their turn. */
  readonly later?: readonly TaskView[];
  /** Whether every task can be followed from a cursor of the one before. */
  readonly sharesCursors: boolean;
}

/** Creates the trail of a conversation. */
export function createConversationTrail(start: TrailStart): ConversationTrail {
  const { earlier, sharesCursors } = start;
  const changes = createListeners<void>();
  const legs: Leg[] = [...earlier, start.view.taskId].map((taskId) => ({
    taskId,
    cursor: start.view.cursor,
  }));
  let { view } = start;
  let viewLeg = earlier.length;

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
    const next = continueView(view, leg.start);
    // Its prompt is shown, and still to be told.
    const { cursor } = view;
    setView(sharesCursors && cursor !== undefined ? { ...next, cursor } : next);
    leg.start = undefined;
  }

  function isKnown({ taskId }: TaskView): boolean {
    return legs.some((leg) => leg.taskId === taskId);
  }

  function add(task: TaskView): void {
    if (isKnown(task)) return;
    legs.push({ taskId: task.taskId, cursor: task.cursor, start: task });
    // Else the rest of the task before comes first, whoever reads it.
    if (isTerminalState(view.state) && viewLeg === legs.length - 2) enterNext();
  }

  function addLater(tasks: readonly TaskView[]): void {
    // What they are is told by their events.
    for (const { taskId, contextId } of tasks.slice(tasks.findLastIndex(isKnown) + 1)) {
      add(emptyTaskView(taskId, contextId));
    }
  }
  addLater(start.later ?? []);

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
    hasNext: ({ leg }) => leg + 1 < legs.length,
    findNext(at) {
      const leg = legs[at.leg + 1];
      if (leg === undefined) return undefined;
      if (isFirst(at)) enterNext();
      const cursor = sharesCursors ? (at.cursor ?? leg.cursor) : leg.cursor;
      return { leg: at.leg + 1, cursor };
    },
    async startOf(cursor, hasMore) {
      let leg = sharesCursors ? 0 : viewLeg;
      let last = sharesCursors ? legs.length - 1 : leg;
      while (leg < last) {
        const middle = (leg + last) >> 1;
        if (await hasMore({ leg: middle, cursor })) last = middle;
        else leg = middle + 1;
      }
      return { leg, cursor };
    },
    isKnown,
    add,
    addLater,
    showState(state, before) {
      if (view === before && viewLeg === legs.length - 1) setView({ ...view, state });
    },
  };
}

/** The conversation goes on: what was said before stays, whichever task it belongs to. */
export function continueView(view: TaskView, next: TaskView): TaskView {
  const { taskId, contextId, state } = next;
  const { error: _, usage: __, ...kept } = view;
  const said = next.items.map(({ event, at }) => ({ ...event, taskId, contextId, state, at }));
  const { items, earlierItems, isTextOpen } = said.reduce(reduceTaskView, kept as TaskView);
  const isOpen = isTextOpen && !isTerminalState(state);
  return { ...kept, ...next, items, earlierItems, isTextOpen: isOpen };
}
