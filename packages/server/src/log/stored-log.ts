import { ProtocolError, type TaskView } from "@dt/schema";
import type { Clock } from "../clock.js";
import type { LogEvent, SessionRecord, SessionStore } from "../store/session-store.js";
import { createCursorCodec, findEpoch } from "./cursor.js";
import { type LoggedEvent, toLoggedEvent } from "./logged-event.js";
import { readTaskView } from "./views/read-task-view.js";
import { decodeSavedView, encodeSavedView } from "./views/saved-view.js";
import type { SaveView, StoredEvents } from "./views/task-views.js";
import { yieldIfDue } from "./yield-if-due.js";

/** Number of events in a page. */
export const PAGE_EVENTS = 256;
/** Approximate bytes in a page. One page stays in memory while a reader stalls. */
const PAGE_BYTES = 256 * 1024;

/** Options of {@link createStoredLog}. */
export interface StoredLogOptions {
  readonly session: SessionRecord;
  readonly store: Pick<SessionStore, "readEvents" | "findView" | "saveView">;
  readonly clock: Pick<Clock, "elapsedMs">;
}

/** The log of one session in its store. */
export interface StoredLog extends Omit<StoredEvents, "lastPosition"> {
  /** Converts an event to the form that subscribers get. */
  toLogged(event: LogEvent): LoggedEvent;
  /** Reads a page of events after a position. */
  readPage(after: number): Promise<readonly LoggedEvent[]>;
  /** Finds the position of a cursor; throws `cursor-not-found` if its event is not in the log. */
  locate(cursor: string, lastPosition: number): Promise<number>;
  /** The cursor of a position. */
  cursorAt(position: number): Promise<string>;
  /** A task as it was at a position. */
  viewAt(taskId: string, upTo: number): Promise<TaskView>;
  readonly saveView: SaveView;
}

/** Creates the stored part of a session's log. */
export function createStoredLog({ session, store, clock }: StoredLogOptions): StoredLog {
  const { contextId, createdAt: sessionCreatedAt } = session;
  const cursors = createCursorCodec(session);
  const toLogged = (event: LogEvent): LoggedEvent =>
    toLoggedEvent(event, { contextId, cursor: cursors.encode(event) });
  return {
    toLogged,
    pageSize: PAGE_EVENTS,
    findView: async (taskId) => decodeSavedView(await store.findView(taskId)),
    async read(taskId, after) {
      const page = await store.readEvents({ contextId, taskId, after, limit: PAGE_EVENTS });
      return page.map(toLogged);
    },
    async readPage(after) {
      await yieldIfDue(clock.elapsedMs);
      const page = await store.readEvents({
        contextId,
        after,
        limit: PAGE_EVENTS,
        maxBytes: PAGE_BYTES,
      });
      return page.map(toLogged);
    },
    async locate(cursor, lastPosition) {
      const { position, epoch } = cursors.decode(cursor);
      if (position <= lastPosition && (await findEpoch(store, contextId, position)) === epoch)
        return position;
      throw new ProtocolError(
        "cursor-not-found",
        `the cursor ${cursor} names an event that is not in the log of this session; load the task again`,
      );
    },
    async cursorAt(position) {
      return cursors.encode({
        position,
        epoch: (await findEpoch(store, contextId, position)) ?? 0,
      });
    },
    viewAt: (taskId, upTo) => readTaskView(store, { taskId, contextId, sessionCreatedAt, upTo }),
    saveView(view) {
      const saved = encodeSavedView(view);
      // A view that is not saved is folded again later. If the store fails, the next commit reports it.
      store.saveView(saved).catch(() => {});
      return saved.json.length;
    },
  };
}
