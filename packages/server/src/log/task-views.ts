import { emptyTaskView, reduceTaskView, type SessionEvent, type TaskView } from "@dt/schema";
import type { LoggedEvent } from "./logged-event.js";

/** The tasks of a session as they stand, for those that were asked for last. */
export interface TaskViews {
  /** Follows a task from its first event on. */
  begin(taskId: string): void;
  /** Folds an event in where its task is followed. */
  take(logged: LoggedEvent): void;
  /** A task, folded from what is stored where it is not followed. */
  get(taskId: string, stored: StoredEvents): Promise<TaskView>;
}

/** A session's events where they are kept. */
export interface StoredEvents {
  /** A task's events after a place, a page of them; fewer at the end. */
  read(taskId: string, after: number): Promise<readonly LoggedEvent[]>;
  readonly pageSize: number;
  /** The place of the last event that was announced. */
  lastSeq(): number;
}

interface Followed {
  view: TaskView;
  seq: number;
  /** Events that are not folded in yet: nobody has asked. */
  pending: SessionEvent[];
}

const MAX_FOLLOWED = 8;
const MAX_PENDING = 256;

/** Views of one session, in the order of their use: beyond a few, the one unused longest is let go. */
export function createTaskViews(contextId: string): TaskViews {
  const followed = new Map<string, Followed>();

  function keep(taskId: string, next: Followed): void {
    followed.delete(taskId);
    followed.set(taskId, next);
    for (const oldest of followed.keys()) {
      if (followed.size <= MAX_FOLLOWED) break;
      followed.delete(oldest);
    }
  }

  return {
    begin(taskId) {
      if (followed.has(taskId)) return;
      keep(taskId, { view: emptyTaskView(taskId, contextId), seq: 0, pending: [] });
    },
    take({ event, seq }) {
      const known = followed.get(event.taskId);
      // A view that was read from the store may be ahead of what is announced.
      if (known === undefined || seq <= known.seq) return;
      known.seq = seq;
      known.pending.push(event);
      if (known.pending.length >= MAX_PENDING) foldPending(known);
    },
    async get(taskId, stored) {
      const known = followed.get(taskId);
      if (known !== undefined) {
        keep(taskId, known);
        return foldPending(known);
      }
      let view = emptyTaskView(taskId, contextId);
      let seq = 0;
      for (;;) {
        const announced = stored.lastSeq();
        const page = await stored.read(taskId, seq);
        for (const logged of page) view = reduceTaskView(view, logged.event);
        seq = page.at(-1)?.seq ?? seq;
        // What was announced while this was read would be missed: it is read as well.
        if (page.length < stored.pageSize && announced === stored.lastSeq()) break;
      }
      keep(taskId, { view, seq, pending: [] });
      return view;
    },
  };
}

/** Folds what is pending; text that goes on is joined first, which comes to the same. */
function foldPending(followed: Followed): TaskView {
  const { pending } = followed;
  followed.pending = [];
  for (let index = 0; index < pending.length; ) {
    const run = followed.view.isTextOpen ? textRun(pending, index) : 0;
    const events = pending.slice(index, index + Math.max(run, 1));
    followed.view = reduceTaskView(followed.view, joined(events));
    index += events.length;
  }
  return followed.view;
}

/** How many events from here on are plain text. */
function textRun(events: readonly SessionEvent[], start: number): number {
  let end = start;
  while (end < events.length && isPlainText(events[end])) end += 1;
  return end - start;
}

function joined(events: readonly SessionEvent[]): SessionEvent {
  const last = events.at(-1) as SessionEvent;
  if (events.length === 1 || last.kind !== "TEXT_CONTENT") return last;
  return { ...last, text: events.map((event) => ("text" in event ? event.text : "")).join("") };
}

function isPlainText(event: SessionEvent | undefined): boolean {
  return event?.kind === "TEXT_CONTENT" && event.usage === undefined && event.error === undefined;
}
