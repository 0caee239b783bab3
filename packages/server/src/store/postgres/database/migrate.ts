import { createHash } from "node:crypto";
import { SetupError } from "@dt/schema";
import { type Migration, POSTGRES_MIGRATIONS } from "./migrations.js";
import type { Database } from "./open-connections.js";

/** Options of {@link migrate}. */
export interface MigrateOptions {
  readonly schema: string;
  readonly migrations?: readonly Migration[];
}

/**
 * Creates the tables, or brings older tables to the current version. A lock lets one process at a time do this.
 * Throws a SetupError, and changes nothing, if it cannot use the tables: they are newer, belong to another program,
 * or are older and in use. The same applies to a database that has another encoding than UTF-8, or that does not wait
 * for the disk.
 */
export async function migrate(
  database: Database,
  { schema, migrations = POSTGRES_MIGRATIONS }: MigrateOptions,
): Promise<void> {
  const address = `${database.address}, schema ${schema},`;
  await database.transact(async (run) => {
    // The lock ends with the transaction, so it also works through a connection pooler.
    await run({ text: "SELECT pg_advisory_xact_lock($1)", values: [lockNumber(schema)] });
    const [found] = await run({
      text: `SELECT to_regnamespace($1) IS NOT NULL AS has_schema,
          to_regclass($1 || '.dt_version') IS NOT NULL AS has_version,
          EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = $1) AS has_tables,
          current_setting('synchronous_commit') AS synchronous,
          current_setting('server_encoding') AS encoding`,
      values: [schema],
    });
    if (found?.encoding !== "UTF8") {
      throw new SetupError(
        `the database ${database.address} has the encoding ${found?.encoding}; create it with ENCODING 'UTF8'`,
      );
    }
    if (found.synchronous === "off") {
      throw new SetupError(
        `the database ${database.address} has synchronous_commit = off, so a loss of power would lose accepted prompts; run ALTER DATABASE … SET synchronous_commit = on`,
      );
    }
    if (found.has_tables === true && found.has_version !== true) {
      throw new SetupError(
        `the database ${address} has the tables of another program; choose another schema with ?schema=NAME in DT_STORE`,
      );
    }
    if (found.has_schema !== true) await run({ text: `CREATE SCHEMA ${schema}` });
    const version = found.has_version === true ? await readVersion(run, schema) : 0;
    if (version > migrations.length) {
      throw new SetupError(
        `the database ${address} was written by a newer dt (version ${version}; this dt knows ${migrations.length}); start the newer dt`,
      );
    }
    if (version === migrations.length) return;
    if (version > 0) await checkUnused(run, schema, address);
    else await run({ text: `CREATE TABLE ${schema}.dt_version (version integer NOT NULL)` });
    for (const migration of migrations.slice(version)) await run({ text: migration(schema) });
    await run({ text: `DELETE FROM ${schema}.dt_version` });
    await run({
      text: `INSERT INTO ${schema}.dt_version VALUES ($1)`,
      values: [migrations.length],
    });
  });
}

async function readVersion(run: Database["execute"], schema: string): Promise<number> {
  const [row] = await run({ text: `SELECT max(version) AS version FROM ${schema}.dt_version` });
  return Number(row?.version ?? 0);
}

/** Throws if an instance uses the tables, because an older dt cannot work with newer tables. */
async function checkUnused(
  run: Database["execute"],
  schema: string,
  address: string,
): Promise<void> {
  const live = await run({
    text: `SELECT name FROM ${schema}.instances WHERE lease_until > clock_timestamp()`,
  });
  if (live.length === 0) return;
  const names = live.map(({ name }) => String(name)).join(", ");
  throw new SetupError(
    `the database ${address} has the tables of an older dt and is in use by ${names}; stop all instances before the newer dt starts`,
  );
}

/** Returns the number of the advisory lock of a schema. */
function lockNumber(schema: string): number {
  return createHash("sha256").update(`dt ${schema}`).digest().readInt32BE();
}
