import type { EventQuery, LogEvent } from "../session-store.js";
import { damagedSession } from "../store-fault.js";
import type { Database, PostgresRow } from "./database/open-connections.js";
import { decodeEventRow } from "./rows.js";

/** Options of {@link readStoredEvents}. */
export interface ReadEventsOptions {
  readonly database: Pick<Database, "query">;
  readonly schema: string;
}

/** Reads events. Throws a StoreFault that names the session if an event is damaged or missing. */
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
    // `page` compares with single values, because a join would read and sort all events of the task before the limit.
    // `covered` is the range of positions from which the page was chosen. The range includes events of other tasks. A
    // full page ends at its last event.
    text: `WITH task AS (
        SELECT context_id, task_id, greatest(first_position, $2 + 1) AS low,
          least(last_position, $3) AS high
        FROM ${schema}.tasks WHERE task_id = $1
      ), page AS (
        SELECT e.position, e.epoch, e.event FROM ${schema}.events AS e
        WHERE e.context_id = (SELECT context_id FROM task) AND e.task_id = $1
          AND e.position BETWEEN (SELECT low FROM task) AND (SELECT high FROM task)
          AND ($4::text[] IS NULL OR e.kind = ANY($4))
        ORDER BY e.position LIMIT $5
      ), covered AS (
        SELECT context_id, low, CASE WHEN (SELECT count(*) FROM page) < $5 THEN high
          ELSE (SELECT max(position) FROM page) END AS high
        FROM task
      ), stored AS (
        SELECT greatest(c.high - c.low + 1, 0) - count(e.position) AS missing
        FROM covered AS c LEFT JOIN ${schema}.events AS e
          ON e.context_id = c.context_id AND e.position BETWEEN c.low AND c.high
        GROUP BY c.high, c.low
      )
      SELECT page.*, stored.missing FROM stored LEFT JOIN page ON true ORDER BY page.position`,
    values: [taskId, after, kinds?.upTo ?? Number.MAX_SAFE_INTEGER, kinds?.only ?? null, limit],
  });
  if (Number(rows[0]?.missing ?? 0) > 0) {
    throw damagedSession(contextId, `events of the task ${taskId} after ${after}: missing`);
  }
  return rows.flatMap((row) => (row.position === null ? [] : [decodeEventRow(contextId, row)]));
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
