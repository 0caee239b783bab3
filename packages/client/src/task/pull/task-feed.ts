import {
  emptyTaskView,
  ProtocolError,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import type { Update } from "../channel/agent-channel.js";
import { eventsBetween, reachesBack } from "../session/events-between.js";

/** What came of a task whose agent gives no cursors: the last events, numbered here. */
export interface TaskFeed {
  /** All of it, folded; its cursor is the number of the last event. */
  readonly view: TaskView;
  /** Whether anything came yet. */
  readonly isKnown: boolean;
  add(event: SessionEvent): void;
  /** Takes a snapshot: what it has that was missed becomes events. */
  absorb(snapshot: TaskView): void;
  /** What comes after a cursor; a snapshot where there is none, or where it is too far back. */
  read(after: string | undefined): readonly Update[];
}

/** How many events are kept for those who read behind the others. */
const MAX_KEPT = 2_000;

/** Creates an empty feed. Its cursors mean something to this client alone, while it lives. */
export function createTaskFeed(taskId: string): TaskFeed {
  let view = emptyTaskView(taskId, "");
  let kept: SessionEvent[] = [];
  let count = 0;
  let isKnown = false;

  function add(event: SessionEvent): void {
    isKnown = true;
    count += 1;
    const numbered = { ...event, cursor: cursorOf(count) };
    view = reduceTaskView(view, numbered);
    kept.push(numbered);
    if (kept.length >= 2 * MAX_KEPT) kept = kept.slice(MAX_KEPT);
  }

  return {
    get view() {
      return view;
    },
    get isKnown() {
      return isKnown;
    },
    add,
    absorb(given) {
      if (!isKnown) {
        isKnown = true;
        view = { ...given, cursor: cursorOf(count) };
        return;
      }
      // A task without its history says nothing about it.
      const { items } = given.items.length === 0 ? view : given;
      const snapshot = { ...given, items };
      if (reachesBack(view, snapshot)) {
        for (const event of eventsBetween(view, snapshot)) add(event);
        return;
      }
      // There is a gap that nobody can fill: everyone starts over from what is known now.
      count += 1;
      kept = [];
      view = { ...snapshot, cursor: cursorOf(count) };
    },
    read(after) {
      if (after === undefined) return [{ type: "snapshot", view }];
      const place = placeOf(after);
      if (place > count) {
        throw new ProtocolError(
          "cursor-not-found",
          `the cursor ${JSON.stringify(after.slice(0, 64))} belongs to another connection; read without one`,
        );
      }
      const first = count - kept.length;
      if (place < first) return [{ type: "snapshot", view }];
      return kept.slice(place - first).map((event) => ({ type: "event", event }));
    },
  };
}

function cursorOf(count: number): string {
  return `${count}.here`;
}

function placeOf(cursor: string): number {
  const match = /^(\d{1,15})\.here$/.exec(cursor);
  return match === null ? Number.POSITIVE_INFINITY : Number(match[1]);
}
