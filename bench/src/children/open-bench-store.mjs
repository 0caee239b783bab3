import path from "node:path";
import { openMemoryStore, openSqliteStore } from "@dt/server";

/** Opens a store by its name. `close` ends what the store itself does not close. */
export async function openBenchStore(name, directory) {
  const close = async () => {};
  if (name === "memory") return { store: openMemoryStore(), close };
  if (name === "sqlite") {
    return { store: openSqliteStore({ file: path.join(directory, "b.db") }), close };
  }
  const { openPostgresStore } = await import("@dt/server/postgres");
  const { startPostgres } = await import("@dt/tooling/postgres");
  // With its default settings, Postgres waits for the disk as in production.
  const postgres = await startPostgres({ flags: [] });
  return {
    store: await openPostgresStore({ url: postgres.url }),
    close: () => postgres[Symbol.asyncDispose](),
  };
}
