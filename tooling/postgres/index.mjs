export { createDatabase, openDatabase } from "./open-database.mjs";
export { startPostgres } from "./start-postgres.mjs";
