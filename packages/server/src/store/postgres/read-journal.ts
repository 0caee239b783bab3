import type { JsonObject } from "@dt/schema";
import { damagedSession } from "../store-fault.js";
import type { Database } from "./database/open-connections.js";
import { parseJsonColumn } from "./rows.js";

/**
 * Reads the journal of a session. Throws a StoreFault that names the session if a record is damaged or
 * missing.
 */
export async function readJournal(
  contextId: string,
  { database, schema }: { readonly database: Pick<Database, "query">; readonly schema: string },
): Promise<readonly JsonObject[]> {
  const rows = await database.query({
    name: `read journal ${schema}`,
    text: `SELECT j.number, j.record, s.last_number FROM ${schema}.sessions AS s
      LEFT JOIN ${schema}.journal AS j USING (context_id)
      WHERE s.context_id = $1 ORDER BY j.number`,
    values: [contextId],
  });
  const last = Number(rows[0]?.last_number ?? 0);
  const records = rows.filter(({ number }) => number !== null);
  const missing = records.findIndex(({ number }, index) => Number(number) !== index + 1);
  if (missing >= 0 || records.length !== last) {
    const number = missing < 0 ? records.length + 1 : missing + 1;
    throw damagedSession(contextId, `journal ${number}: missing`);
  }
  return records.map(({ number, record }) =>
    parseJsonColumn<JsonObject>(record, { table: "journal", contextId, key: Number(number) }),
  );
}
