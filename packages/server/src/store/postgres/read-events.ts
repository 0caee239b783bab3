import type { EventQuery, LogEvent } from "../session-store.js";
import { damagedSession } from "../store-fault.js";
import type { Database, PostgresRow } from "./database/open-connections.js";
import { decodeEventRow } from "./rows.js";

/** Options of {@link readStoredEvents}. */
export interface ReadEventsOptions {
  readonly database: Pick<Database, "query">;
  readonly schema: string;
}

/**
 * Reads events. Throws a StoreFault that names the session if an event is damaged. Missing events are noticed
 * only if the query is not for one task.
 */
export async function readStoredEvents(
  query: EventQuery,
  options: ReadEventsOptions,
): Promise<readonly LogEvent[]> {
  const { taskId } = query;
  return taskId === undefined
    ? await readSession(query, options)
    : await readTask({ ...query, taskId }, options);
}

async function readSession(
  { contextId, after, limit, maxBytes }: EventQuery,
  { database, schema }: ReadEventsOptions,
): Promise<readonly LogEvent[]> {
  const events = `SELECT position, epoch, event FROM ${schema}.events
    WHERE context_id = $1 AND position > $2 ORDER BY position LIMIT $3`;
  const rows = await database.query(
    maxBytes === undefined
      ? { name: `read events ${schema}`, text: events, values: [contextId, after, limit] }
      : {
          name: `read page ${schema}`,
          // An event is in the page if the events before it do not fill the page.
          text: `SELECT position, epoch, event FROM (
              SELECT *, sum(octet_length(event)) OVER (ORDER BY position)
                - octet_length(event) AS bytes_before
              FROM (${events}) AS e
            ) AS sized WHERE bytes_before < $4 ORDER BY position`,
          values: [contextId, after, limit, maxBytes],
        },
  );
  if (rows.length === 0) await checkEnd(contextId, after, { database, schema });
  return rows.map((row, index) => toNext(row, contextId, after + index + 1));
}

async function readTask(
  { taskId, contextId, after, limit, kinds }: EventQuery & { readonly taskId: string },
  { database, schema }: ReadEventsOptions,
): Promise<readonly LogEvent[]> {
  const rows = await database.query({
    name: `read task ${schema}`,
    text: `SELECT e.position, e.epoch, e.event FROM ${schema}.tasks AS t
      JOIN ${schema}.events AS e ON e.context_id = t.context_id AND e.task_id = t.task_id
        AND e.position BETWEEN greatest(t.first_position, $2 + 1)
          AND least(t.last_position, $3)
      WHERE t.task_id = $1 AND ($4::text[] IS NULL OR e.kind = ANY($4))
      ORDER BY e.position LIMIT $5`,
    values: [taskId, after, kinds?.upTo ?? Number.MAX_SAFE_INTEGER, kinds?.only ?? null, limit],
  });
  return rows.map((row) => decodeEventRow(contextId, row));
}

// Decodes the event at a position. The log has no gaps, so another position means that an event is missing.
function toNext(row: PostgresRow, contextId: string, position: number): LogEvent {
  if (Number(row.position) === position) return decodeEventRow(contextId, row);
  throw damagedSession(contextId, `events ${position}: missing`);
}

async function checkEnd(
  contextId: string,
  after: number,
  { database, schema }: ReadEventsOptions,
): Promise<void> {
  const [row] = await database.query({
    text: `SELECT last_position FROM ${schema}.sessions WHERE context_id = $1 AND last_position > $2
        AND NOT EXISTS (
          SELECT 1 FROM ${schema}.events WHERE context_id = $1 AND position > $2
        )`,
    values: [contextId, after],
  });
  if (row !== undefined) throw damagedSession(contextId, `events ${after + 1}: missing`);
}
