export { openPostgresBackup } from "./backup/open-postgres-backup.js";
export { openPostgresStore, type PostgresStoreOptions } from "./open-postgres-store.js";
