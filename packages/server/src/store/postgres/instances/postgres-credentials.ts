import type { SharedCredentials } from "../../instances/instance-store.js";
import type { Database } from "../database/open-connections.js";

/** Options of {@link createPostgresCredentials}. */
export interface PostgresCredentialsOptions {
  readonly database: Pick<Database, "query">;
  readonly schema: string;
  readonly instance: { readonly id: string };
}

/** Creates the list of credentials. A credential ends with the lease of its instance at the latest. */
export function createPostgresCredentials(options: PostgresCredentialsOptions): SharedCredentials {
  const { database, schema, instance } = options;
  const table = `${schema}.credentials`;

  return {
    async publish(credential) {
      await database.query({
        text: `INSERT INTO ${table} (credential, instance) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
        values: [credential, instance.id],
      });
    },
    async withdraw(credentials) {
      await database.query({
        text: `DELETE FROM ${table} AS c WHERE instance = $2 AND credential = ANY($1)
          OR NOT EXISTS (SELECT 1 FROM ${schema}.instances AS i WHERE i.id = c.instance)`,
        values: [credentials, instance.id],
      });
    },
    async findAlive(credentials) {
      const rows = await database.query({
        name: `credentials ${schema}`,
        text: `SELECT DISTINCT credential FROM ${table} AS c JOIN ${schema}.instances AS i
            ON i.id = c.instance AND i.lease_until > clock_timestamp()
          WHERE credential = ANY($1)`,
        values: [credentials],
      });
      return rows.map(({ credential }) => String(credential));
    },
  };
}
