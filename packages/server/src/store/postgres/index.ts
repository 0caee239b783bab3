export { openPostgresStore, type PostgresStoreOptions } from "./open-postgres-store.js";
