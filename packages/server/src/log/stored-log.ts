import { ProtocolError, type TaskView } from "@dt/schema";
import type { Clock } from "../clock.js";
import type { LogEvent, SessionRecord, SessionStore } from "../store/session-store.js";
import { type CursorCodec, createCursorCodec, findEpoch } from "./cursor.js";
import { type LoggedEvent, toLoggedEvent } from "./logged-event.js";
import { readTaskView } from "./views/read-task-view.js";
import { decodeSavedView, encodeSavedView } from "./views/saved-view.js";
import type { PositionedView, StoredEvents } from "./views/task-views.js";
import { yieldIfDue } from "./yield-if-due.js";

/** Maximum number of events in a page. */
export const PAGE_EVENTS = 256;
/** Approximate maximum size of a page. Each slow reader keeps one page in memory. */
const PAGE_BYTES = 256 * 1024;

/** Options of {@link createStoredLog}. */
export interface StoredLogOptions {
  readonly session: SessionRecord;
  readonly store: Pick<SessionStore, "readEvents" | "findView" | "saveView">;
  readonly clock: Pick<Clock, "elapsedMs">;
  /** Position of the last event that was announced. */
  lastPosition(): number;
}

/** The log of one session in its store. */
export interface StoredLog extends StoredEvents {
  readonly cursors: CursorCodec;
  /** Converts an event to the form that subscribers get. */
  toLogged(event: LogEvent): LoggedEvent;
  /** Reads a page of events after a position. */
  readPage(after: number): Promise<readonly LoggedEvent[]>;
  /** Finds the position of a cursor; throws `cursor-not-found` if its event is not in the log. */
  locate(cursor: string): Promise<number>;
  /** Returns the cursor of a position. */
  cursorAt(position: number): Promise<string>;
  /** Returns the view of a task as it was at a position. */
  viewAt(taskId: string, upTo: number): Promise<TaskView>;
  saveView(saved: PositionedView): number;
}

/** Creates the object that reads the log of a session from its store. */
export function createStoredLog(options: StoredLogOptions): StoredLog {
  return new SessionStoredLog(options);
}

class SessionStoredLog implements StoredLog {
  readonly pageSize = PAGE_EVENTS;
  readonly cursors: CursorCodec;
  private readonly options: StoredLogOptions;

  constructor(options: StoredLogOptions) {
    this.options = options;
    this.cursors = createCursorCodec(options.session);
  }

  lastPosition(): number {
    return this.options.lastPosition();
  }

  toLogged(event: LogEvent): LoggedEvent {
    const { contextId } = this.options.session;
    return toLoggedEvent(event, { contextId, cursor: this.cursors.encode(event) });
  }

  async findView(taskId: string): Promise<PositionedView | undefined> {
    return decodeSavedView(await this.options.store.findView(taskId));
  }

  async read(taskId: string, after: number): Promise<readonly LoggedEvent[]> {
    const { session, store } = this.options;
    const { contextId } = session;
    const page = await store.readEvents({ contextId, taskId, after, limit: PAGE_EVENTS });
    return page.map((event) => this.toLogged(event));
  }

  async readPage(after: number): Promise<readonly LoggedEvent[]> {
    const { session, store, clock } = this.options;
    const { contextId } = session;
    await yieldIfDue(clock.elapsedMs);
    const page = await store.readEvents({
      contextId,
      after,
      limit: PAGE_EVENTS,
      maxBytes: PAGE_BYTES,
    });
    return page.map((event) => this.toLogged(event));
  }

  async locate(cursor: string): Promise<number> {
    const { position, epoch } = this.cursors.decode(cursor);
    if (position <= this.lastPosition() && (await this.findEpoch(position)) === epoch)
      return position;
    throw new ProtocolError(
      "cursor-not-found",
      `the cursor ${cursor} names an event that is not in the log of this session; load the task again`,
    );
  }

  async cursorAt(position: number): Promise<string> {
    return this.cursors.encode({ position, epoch: (await this.findEpoch(position)) ?? 0 });
  }

  async viewAt(taskId: string, upTo: number): Promise<TaskView> {
    const { session, store } = this.options;
    const { contextId, createdAt: sessionCreatedAt } = session;
    return await readTaskView(store, { taskId, contextId, sessionCreatedAt, upTo });
  }

  saveView(view: PositionedView): number {
    const saved = encodeSavedView(view);
    // A failed save is ignored, because a later read folds the view again, and the next commit reports a fault of the
    // store.
    this.options.store.saveView(saved).catch(() => {});
    return saved.json.length;
  }

  private async findEpoch(position: number): Promise<number | undefined> {
    return await findEpoch(this.options.store, this.options.session.contextId, position);
  }
}
