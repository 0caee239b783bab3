import type { SharedActivity } from "../../instances/instance-store.js";
import type { Database } from "../database/open-connections.js";

/** Options of {@link createPostgresActivity}. */
export interface PostgresActivityOptions {
  readonly database: Pick<Database, "query">;
  readonly schema: string;
  readonly instance: { readonly id: string };
}

/**
 * Age at which the clients of another instance are no longer counted. Each instance stores its clients once per second.
 */
const CLIENTS_AGE = "5 seconds";
/** Age at which rows of instances that have ended are deleted. */
const KEEP = "1 minute";

/**
 * Creates the live output and the clients of all instances. Their tables are not logged, so a crash of the database
 * empties them.
 */
export function createPostgresActivity(options: PostgresActivityOptions): SharedActivity {
  const { database, schema, instance } = options;
  const [presence, live] = [`${schema}.presence`, `${schema}.live_output`];

  return {
    async exchangeClients(clients) {
      const own = [...clients];
      const rows = await database.query({
        name: `presence ${schema}`,
        // If there is only one instance, nothing is stored.
        text: `WITH noted AS (
            INSERT INTO ${presence} (context_id, instance, clients, noted_at)
            SELECT context_id, $1::uuid, clients, clock_timestamp()
            FROM unnest($2::text[], $3::text[]) AS t (context_id, clients)
            WHERE EXISTS (SELECT 1 FROM ${schema}.instances
              WHERE id <> $1::uuid AND lease_until > clock_timestamp())
            ON CONFLICT (context_id, instance)
            DO UPDATE SET clients = excluded.clients, noted_at = excluded.noted_at
          ), old AS (
            DELETE FROM ${presence}
            WHERE instance <> $1::uuid AND noted_at < clock_timestamp() - interval '${KEEP}'
          )
          SELECT context_id, clients FROM ${presence} WHERE context_id = ANY($2)
            AND instance <> $1::uuid AND noted_at > clock_timestamp() - interval '${CLIENTS_AGE}'`,
        values: [
          instance.id,
          own.map(([contextId]) => contextId),
          own.map(([, list]) => JSON.stringify(list)),
        ],
      });
      return rows.map((row) => ({
        contextId: String(row.context_id),
        clients: JSON.parse(String(row.clients)),
      }));
    },
    async publishLive(outputs) {
      await database.query({
        name: `publish live ${schema}`,
        text: `INSERT INTO ${live} AS l (context_id, tool_call_id, revision, event)
          SELECT context_id, tool_call_id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, event
          FROM unnest($1::text[], $2::text[], $3::text[]) AS t (context_id, tool_call_id, event)
          ON CONFLICT (context_id, tool_call_id)
          DO UPDATE SET event = excluded.event, revision = l.revision + 1`,
        values: [
          outputs.map(({ contextId }) => contextId),
          outputs.map(({ toolCallId }) => toolCallId),
          outputs.map(({ event }) => JSON.stringify(event)),
        ],
      });
    },
    async removeLive(contextId) {
      await database.query({
        text: `DELETE FROM ${live} WHERE context_id = $1`,
        values: [contextId],
      });
    },
    async readLive(contextIds) {
      const rows = await database.query({
        name: `read live ${schema}`,
        text: `SELECT * FROM ${live} WHERE context_id = ANY($1)`,
        values: [contextIds],
      });
      return rows.map((row) => ({
        contextId: String(row.context_id),
        toolCallId: String(row.tool_call_id),
        revision: Number(row.revision),
        event: JSON.parse(String(row.event)),
      }));
    },
  };
}
