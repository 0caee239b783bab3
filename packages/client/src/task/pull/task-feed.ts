import {
  emptyTaskView,
  openQuestions,
  ProtocolError,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import type { Update } from "../channel/agent-channel.js";
import { eventsBetween, reachesBack } from "../session/events-between.js";

/** The last events of a task whose agent has no cursors, numbered by this client. */
export interface TaskFeed {
  /** Fold of all events; its cursor has the number of the last event. */
  readonly view: TaskView;
  /** True if the feed has an event or a snapshot. */
  readonly isKnown: boolean;
  add(event: SessionEvent): void;
  /** Adds a snapshot; items that were missed become events. */
  addSnapshot(snapshot: TaskView): void;
  /** Returns the events after a cursor, or a snapshot if the cursor is undefined or too old. */
  read(after: string | undefined): readonly Update[];
}

/** Minimum number of recent events that the feed keeps for slow loops. */
const MIN_STORED_EVENTS = 2_000;

/** Creates an empty feed. Its cursors are valid for this feed only. */
export function createTaskFeed(taskId: string): TaskFeed {
  let view = emptyTaskView(taskId, "");
  let kept: SessionEvent[] = [];
  let count = 0;
  let isKnown = false;
  // The JSON of the artifacts in the last snapshot. A view drops the oldest of very many artifacts, which must not
  // become events again with each later snapshot.
  let shown: readonly string[] = [];

  function add(event: SessionEvent): void {
    isKnown = true;
    count += 1;
    const numbered = { ...event, cursor: cursorOf(count) };
    view = reduceTaskView(view, numbered);
    kept.push(numbered);
    if (kept.length >= 2 * MIN_STORED_EVENTS) kept = kept.slice(MIN_STORED_EVENTS);
  }

  return {
    get view() {
      return view;
    },
    get isKnown() {
      return isKnown;
    },
    add,
    addSnapshot(given) {
      const shownBefore = shown;
      shown = (given.artifacts ?? []).map((artifact) => JSON.stringify(artifact));
      if (!isKnown) {
        isKnown = true;
        view = { ...given, cursor: cursorOf(count) };
        return;
      }
      // A task without its history does not change the items.
      const { items } = given.items.length === 0 ? view : given;
      const snapshot = { ...given, items };
      if (reachesBack(view, snapshot)) {
        const artifacts = given.artifacts?.filter(
          (_, at) => !shownBefore.includes(shown[at] ?? ""),
        );
        const latest = { ...snapshot, ...(artifacts !== undefined && { artifacts }) };
        for (const event of eventsBetween(view, latest, openQuestions)) add(event);
        return;
      }
      // The missing events cannot be computed, so every loop starts over from the snapshot.
      count += 1;
      kept = [];
      view = { ...snapshot, cursor: cursorOf(count) };
    },
    read(after) {
      if (after === undefined) return [{ type: "snapshot", view }];
      const position = positionOf(after);
      if (position > count) {
        throw new ProtocolError(
          "cursor-not-found",
          `the cursor ${JSON.stringify(after.slice(0, 64))} is unknown; omit it`,
        );
      }
      const first = count - kept.length;
      if (position < first) return [{ type: "snapshot", view }];
      return kept.slice(position - first).map((event) => ({ type: "event", event }));
    },
  };
}

function cursorOf(count: number): string {
  return `${count}.here`;
}

function positionOf(cursor: string): number {
  const match = /^(\d{1,15})\.here$/.exec(cursor);
  return match === null ? Number.POSITIVE_INFINITY : Number(match[1]);
}
