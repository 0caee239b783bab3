import path from "node:path";
import { openMemoryStore, openSqliteStore } from "@dt/server";

/**
 * Opens a store by its name. In the result, `close` also ends the database server, which the store itself
 * does not end.
 */
export async function openBenchStore(name, directory) {
  const close = async () => {};
  if (name === "memory") return { store: openMemoryStore(), close };
  if (name === "sqlite") {
    return { store: openSqliteStore({ file: path.join(directory, "b.db") }), close };
  }
  const { openPostgresStore } = await import("@dt/server/postgres");
  const { startPostgres } = await import("@dt/tooling/postgres");
  // No flags are passed, so that Postgres waits for the disk as in production.
  const postgres = await startPostgres({ flags: [] });
  return {
    store: await openPostgresStore({ url: postgres.url }),
    close: () => postgres[Symbol.asyncDispose](),
  };
}
