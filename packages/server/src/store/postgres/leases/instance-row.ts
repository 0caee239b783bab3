import type { Database } from "../database/open-connections.js";

/** The row of one process in the table of instances. The lease in this row ends by the clock of the database. */
export interface InstanceRow {
  /** Stores the row with a full lease. `endsEarlier` also deletes the rows of earlier processes with the same name. */
  insert(id: string, options: { readonly endsEarlier: boolean }): Promise<void>;
  /** Extends the lease. Resolves to false if the lease has ended. */
  renew(id: string): Promise<boolean>;
  remove(id: string): Promise<void>;
}

/** Options of {@link createInstanceRow}. */
export interface InstanceRowOptions {
  readonly database: Database;
  readonly schema: string;
  readonly name: string;
  readonly leaseMs: number;
}

/** Creates the statements on the row of a process. */
export function createInstanceRow(options: InstanceRowOptions): InstanceRow {
  const { database, schema, name, leaseMs } = options;
  const table = `${schema}.instances`;
  const until = "clock_timestamp() + $2 * interval '1 millisecond'";
  return {
    async insert(id, { endsEarlier }) {
      await database.query({
        text: `WITH gone AS (DELETE FROM ${table} WHERE name = $3 AND $4::boolean)
          INSERT INTO ${table} (id, name, lease_until) VALUES ($1, $3, ${until})
          ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`,
        values: [id, leaseMs, name, endsEarlier],
      });
    },
    async renew(id) {
      const rows = await database.query({
        name: `renew ${schema}`,
        text: `UPDATE ${table} SET lease_until = ${until}
          WHERE id = $1 AND lease_until > clock_timestamp() RETURNING id`,
        values: [id, leaseMs],
      });
      return rows.length > 0;
    },
    async remove(id) {
      await database.query({ text: `DELETE FROM ${table} WHERE id = $1`, values: [id] });
    },
  };
}
