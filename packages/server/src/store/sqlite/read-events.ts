import type { EventQuery, LogEvent } from "../session-store.js";
import { damagedSession } from "../store-fault.js";
import { countWithin, type ReadSizes } from "./count-within.js";
import { type EventColumns, type Row, toLogEvent, toTaskRow } from "./rows.js";
import type { Statements } from "./statements.js";

/** Number of events in one read if the query wants only some kinds. */
const STEP_EVENTS = 64;

/** Reads events. Throws a StoreFault that names the session if an event is damaged or missing. */
export function readEvents(query: EventQuery, statements: Statements): readonly LogEvent[] {
  const { taskId } = query;
  return taskId === undefined
    ? readSession(query, statements)
    : readTask({ ...query, taskId }, statements);
}

function readSession(query: EventQuery, statements: Statements): readonly LogEvent[] {
  const { contextId, after, limit, maxBytes } = query;
  const sizesOf: ReadSizes = (from, most) =>
    (statements.readEventSizes.all(contextId, from, most) as Row[]).map(({ bytes }) =>
      Number(bytes),
    );
  const count = maxBytes === undefined ? limit : countWithin({ after, limit, maxBytes }, sizesOf);
  const rows = readRows({ contextId, after, limit: count }, statements);
  const events = rows.map((row, index) => toNext(row, { contextId, position: after + index + 1 }));
  // A page with fewer events than the limit must end at the last event of the log. This is not true for a
  // page that `maxBytes` has shortened, so with `maxBytes` only an empty page is checked. That is enough:
  // readers read until a page is empty, so missing last events are noticed at that page.
  if (rows.length < (maxBytes === undefined ? limit : Math.min(limit, 1))) {
    checkEnd(contextId, after + rows.length, statements);
  }
  return events;
}

/** Reads the events of one task. Events of other tasks in between are checked and left out. */
function readTask(
  { taskId, after, limit, kinds }: EventQuery & { readonly taskId: string },
  statements: Statements,
): readonly LogEvent[] {
  const row = statements.findTask.get(taskId) as Row | undefined;
  if (row === undefined) return [];
  const { contextId, firstPosition, lastPosition } = toTaskRow(row);
  const upTo = Math.min(lastPosition, kinds?.upTo ?? lastPosition);
  let position = Math.max(after, firstPosition - 1);
  const found: LogEvent[] = [];
  while (position < upTo) {
    const most = Math.min(
      upTo - position,
      kinds === undefined ? limit - found.length : STEP_EVENTS,
    );
    const rows = readRows({ contextId, after: position, limit: most }, statements);
    if (rows.length === 0) throw damagedSession(contextId, `events ${position + 1}: missing`);
    for (const next of rows) {
      position += 1;
      const logged = toNext(next, { contextId, position });
      if (next[1] !== taskId) continue;
      if (kinds !== undefined && !kinds.only.includes(logged.event.kind)) continue;
      found.push(logged);
      if (found.length >= limit) return found;
    }
  }
  return found;
}

function readRows(
  { contextId, after, limit }: Pick<EventQuery, "contextId" | "after" | "limit">,
  statements: Statements,
): readonly EventColumns[] {
  return statements.readEvents.all(contextId, after, limit) as unknown[] as EventColumns[];
}

// Decodes the event at a position. The log has no gaps, so another position means that an event is missing.
function toNext(
  row: EventColumns,
  { contextId, position }: { contextId: string; position: number },
): LogEvent {
  if (row[0] !== position) throw damagedSession(contextId, `events ${position}: missing`);
  return toLogEvent(contextId, row);
}

function checkEnd(contextId: string, after: number, { findSession }: Statements): void {
  const session = findSession.get(contextId) as Row | undefined;
  if (session === undefined || after >= Number(session.last_seq)) return;
  throw damagedSession(contextId, `events ${after + 1}: missing`);
}
