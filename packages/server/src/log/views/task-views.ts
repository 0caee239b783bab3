import { emptyTaskView, reduceTaskView, type SessionEvent, type TaskView } from "@dt/schema";
import type { LoggedEvent } from "../logged-event.js";

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
  /** The view of a task that was kept last, and its place. */
  findView(taskId: string): Promise<PlacedView | undefined>;
  /** A task's events after a place, a page of them; fewer at the end. */
  read(taskId: string, after: number): Promise<readonly LoggedEvent[]>;
  readonly pageSize: number;
  /** The place of the last event that was announced. */
  lastPosition(): number;
}

/** A view, and the last place that is folded in. */
export interface PlacedView {
  readonly view: TaskView;
  readonly position: number;
}

/** Keeps a view where it survives; says how large it is. */
export type KeepView = (kept: PlacedView) => number;

interface Followed {
  view: TaskView;
  position: number;
  /** Events that are not folded in yet: nobody has asked. */
  pending: SessionEvent[];
  /** What came since the view was kept last, and how large that one was. */
  unkeptEvents: number;
  unkeptBytes: number;
  keptBytes: number;
}

/** How many events are worth a view that is kept. */
const KEEP_AFTER = 1_024;

const MAX_FOLLOWED = 8;
const MAX_PENDING = 256;

/** Views of one session, in the order of their use: beyond a few, the one unused longest is let go. */
export function createTaskViews(contextId: string, keepView: KeepView = () => 0): TaskViews {
  const followed = new Map<string, Followed>();

  // Only after as much as the view itself: so keeping it costs a constant for each event.
  function keepWhenLong(known: Followed): void {
    if (known.unkeptEvents < KEEP_AFTER || known.unkeptBytes < known.keptBytes) return;
    const { position } = known;
    known.keptBytes = keepView({ view: foldPending(known), position });
    known.unkeptEvents = 0;
    known.unkeptBytes = 0;
  }

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
      keep(taskId, follow({ view: emptyTaskView(taskId, contextId), position: 0 }));
    },
    take({ event, position }) {
      const known = followed.get(event.taskId);
      // A view that was read from the store may be ahead of what is announced.
      if (known === undefined || position <= known.position) return;
      known.position = position;
      known.pending.push(event);
      known.unkeptEvents += 1;
      known.unkeptBytes += event.kind === "TEXT_CONTENT" ? event.text.length : EVENT_BYTES;
      if (known.pending.length < MAX_PENDING) return;
      foldPending(known);
      keepWhenLong(known);
    },
    async get(taskId, stored) {
      const known = followed.get(taskId);
      if (known !== undefined) {
        keep(taskId, known);
        return foldPending(known);
      }
      const kept = await stored.findView(taskId);
      let { view, position } = kept ?? { view: emptyTaskView(taskId, contextId), position: 0 };
      for (;;) {
        const announced = stored.lastPosition();
        const page = await stored.read(taskId, position);
        for (const logged of page) view = reduceTaskView(view, logged.event);
        position = page.at(-1)?.position ?? position;
        // What was announced while this was read would be missed: it is read as well.
        if (page.length < stored.pageSize && announced === stored.lastPosition()) break;
      }
      keep(taskId, follow({ view, position }));
      return view;
    },
  };
}

/** About what an event other than text adds to a view. */
const EVENT_BYTES = 512;

function follow({ view, position }: PlacedView): Followed {
  return { view, position, pending: [], unkeptEvents: 0, unkeptBytes: 0, keptBytes: 0 };
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
