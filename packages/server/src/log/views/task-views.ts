import {
  addTransition,
  emptyTaskView,
  reduceTaskView,
  type SessionEvent,
  type StateTransition,
  type TaskView,
} from "@dt/schema";
import type { LoggedEvent } from "../logged-event.js";

/** The views of a session's tasks. Views that were used lately are kept up to date in memory. */
export interface TaskViews {
  /** Starts to track a new task, before its first event is added. */
  track(taskId: string): void;
  /** Adds an event to the view of its task, if the task is tracked. */
  add(logged: LoggedEvent): void;
  /** Gets the view of a task; reads the store if the task is not tracked. */
  get(taskId: string, stored: StoredEvents): Promise<TaskView>;
  /** Gets the changes of a task's state, oldest first; reads the store if the task is not tracked. */
  getTransitions(taskId: string, stored: StoredEvents): Promise<readonly StateTransition[]>;
  /** Drops the views of tasks with few events. `get` can read them again at low cost. */
  dropShort(): void;
}

/** The events of a session in its store. */
export interface StoredEvents {
  /** Finds the last saved view of a task. */
  findView(taskId: string): Promise<PositionedView | undefined>;
  /** Reads a page of a task's events after a position. Only the last page is shorter than `pageSize`. */
  read(taskId: string, after: number): Promise<readonly LoggedEvent[]>;
  readonly pageSize: number;
  /** Position of the last event that was announced. */
  lastPosition(): number;
}

/** A view, the position of the last event in it, and the changes of the task's state up to there. */
export interface PositionedView {
  readonly view: TaskView;
  readonly position: number;
  readonly transitions: readonly StateTransition[];
}

/** Saves views. */
export interface ViewStore {
  /** Saves a view; returns its size in characters. */
  saveView(saved: PositionedView): number;
}

interface TrackedTask {
  view: TaskView;
  position: number;
  transitions: readonly StateTransition[];
  /** Number of events in the view. A saved view is counted as {@link SAVE_AFTER_EVENTS} events. */
  eventCount: number;
  /** Events to fold into the view when it is read, or when there are {@link MAX_PENDING} of them. */
  pending: SessionEvent[];
  /** Number and size of the events since the view was saved. */
  unsavedEvents: number;
  unsavedBytes: number;
  /** Size of the saved view. */
  savedBytes: number;
}

/** Minimum number of events between two saves of a view. */
const SAVE_AFTER_EVENTS = 1_024;

/** Maximum number of events in a view that is cheap to read again. */
const FEW_EVENTS = 32;

const MAX_TRACKED = 8;
const MAX_PENDING = 256;

const NO_STORE: ViewStore = { saveView: () => 0 };

/** Creates the views of a session. It keeps the {@link MAX_TRACKED} views that were used last. */
export function createTaskViews(contextId: string, store = NO_STORE): TaskViews {
  return new RecentTaskViews(contextId, store);
}

class RecentTaskViews implements TaskViews {
  private readonly trackedTasks = new Map<string, TrackedTask>();
  private readonly contextId: string;
  private readonly store: ViewStore;

  constructor(contextId: string, store: ViewStore) {
    this.contextId = contextId;
    this.store = store;
  }

  track(taskId: string): void {
    if (this.trackedTasks.has(taskId)) return;
    this.put(taskId, toTracked(this.emptyView(taskId), 0));
  }

  add({ event, position }: LoggedEvent): void {
    const task = this.trackedTasks.get(event.taskId);
    // A view that was read from the store may contain events that were not announced yet.
    if (task === undefined || position <= task.position) return;
    task.position = position;
    task.eventCount += 1;
    task.pending.push(event);
    task.unsavedEvents += 1;
    task.unsavedBytes += event.kind === "TEXT_CONTENT" ? event.text.length : EVENT_BYTES;
    if (task.pending.length < MAX_PENDING) return;
    foldPending(task);
    this.saveIfDue(task);
  }

  async get(taskId: string, stored: StoredEvents): Promise<TaskView> {
    return (await this.fold(taskId, stored)).view;
  }

  async getTransitions(taskId: string, stored: StoredEvents): Promise<readonly StateTransition[]> {
    return (await this.fold(taskId, stored)).transitions;
  }

  private async fold(taskId: string, stored: StoredEvents): Promise<PositionedView> {
    const known = this.trackedTasks.get(taskId);
    if (known !== undefined) {
      this.put(taskId, known);
      foldPending(known);
      return known;
    }
    const saved = await stored.findView(taskId);
    let { view, position, transitions } = saved ?? this.emptyView(taskId);
    let eventCount = saved === undefined ? 0 : SAVE_AFTER_EVENTS;
    for (;;) {
      const announced = stored.lastPosition();
      const page = await stored.read(taskId, position);
      for (const { event } of page) {
        view = reduceTaskView(view, event);
        transitions = addTransition(transitions, event);
      }
      position = page.at(-1)?.position ?? position;
      eventCount += page.length;
      // Events that were announced during the read must be read too, because `add` ignores untracked tasks.
      if (page.length < stored.pageSize && announced === stored.lastPosition()) break;
    }
    const folded = { view, position, transitions };
    this.put(taskId, toTracked(folded, eventCount));
    return folded;
  }

  dropShort(): void {
    for (const [taskId, { eventCount }] of this.trackedTasks) {
      if (eventCount <= FEW_EVENTS) this.trackedTasks.delete(taskId);
    }
  }

  private emptyView(taskId: string): PositionedView {
    return { view: emptyTaskView(taskId, this.contextId), position: 0, transitions: [] };
  }

  // Saves a view, but only after SAVE_AFTER_EVENTS events that are together at least as large as the saved
  // view. The cost of saving per event is then constant.
  private saveIfDue(task: TrackedTask): void {
    if (task.unsavedEvents < SAVE_AFTER_EVENTS || task.unsavedBytes < task.savedBytes) return;
    const { position } = task;
    const view = foldPending(task);
    task.savedBytes = this.store.saveView({ view, position, transitions: task.transitions });
    task.unsavedEvents = 0;
    task.unsavedBytes = 0;
  }

  private put(taskId: string, task: TrackedTask): void {
    this.trackedTasks.delete(taskId);
    this.trackedTasks.set(taskId, task);
    for (const oldest of this.trackedTasks.keys()) {
      if (this.trackedTasks.size <= MAX_TRACKED) break;
      this.trackedTasks.delete(oldest);
    }
  }
}

/** Approximate size that an event other than text adds to a view. */
const EVENT_BYTES = 512;

function toTracked(folded: PositionedView, eventCount: number): TrackedTask {
  const unsaved = { unsavedEvents: 0, unsavedBytes: 0, savedBytes: 0 };
  return { ...folded, eventCount, pending: [], ...unsaved };
}

/** Folds the pending events into the view. Consecutive text is joined first, which is faster. */
function foldPending(tracked: TrackedTask): TaskView {
  const { pending } = tracked;
  tracked.pending = [];
  for (let index = 0; index < pending.length; ) {
    const run = tracked.view.isTextOpen ? countPlainText(pending, index) : 0;
    const events = pending.slice(index, index + Math.max(run, 1));
    const event = joinText(events);
    tracked.view = reduceTaskView(tracked.view, event);
    tracked.transitions = addTransition(tracked.transitions, event);
    index += events.length;
  }
  return tracked.view;
}

/** Counts the consecutive events of plain text from an index on. */
function countPlainText(events: readonly SessionEvent[], start: number): number {
  let end = start;
  while (end < events.length && isPlainText(events[end])) end += 1;
  return end - start;
}

function joinText(events: readonly SessionEvent[]): SessionEvent {
  const last = events.at(-1) as SessionEvent;
  if (events.length === 1 || last.kind !== "TEXT_CONTENT") return last;
  return { ...last, text: events.map((event) => ("text" in event ? event.text : "")).join("") };
}

function isPlainText(event: SessionEvent | undefined): boolean {
  return event?.kind === "TEXT_CONTENT" && event.usage === undefined && event.error === undefined;
}
