import { SetupError } from "@dt/schema";

/** Name of the Postgres schema that holds the tables, unless another one is chosen. */
export const DEFAULT_SCHEMA = "dt";

/** Checks the name of a schema, because it is a part of the text of every statement. */
export function checkSchemaName(schema: string): string {
  if (/^[a-z_][a-z\d_]{0,62}$/.test(schema)) return schema;
  throw new SetupError(
    `${schema} cannot be the name of a Postgres schema; use small letters, digits and underscores`,
  );
}
