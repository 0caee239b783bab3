import type { Statement } from "../database/open-connections.js";
import {
  APPEND_COLUMNS,
  type AppendPart,
  type AppendRows,
  type ColumnTypes,
  type PartRows,
} from "./append-columns.js";

const PARTS = Object.keys(APPEND_COLUMNS) as readonly AppendPart[];

/** Builds one part of the statement. `given` is the SQL expression for the rows of the part. */
type BuildPart = (schema: string, given: string) => string;

const BUILDERS: Readonly<Record<AppendPart, BuildPart>> = {
  // No row changes if the session has another epoch or another head than the commit expects.
  sessions: (schema, given) => `
    UPDATE ${schema}.sessions AS s SET
      last_position = g.next_position, commit_number = g.next_number,
      last_active_at = greatest(s.last_active_at, g.active_at),
      last_prompt = coalesce(g.prompt, s.last_prompt),
      last_number = s.last_number + g.records
    FROM ${given} AS g
    WHERE s.context_id = g.context_id AND s.epoch = g.epoch
      AND s.last_position = g.head AND s.commit_number = g.commit_number
    RETURNING s.context_id, s.owner, s.last_number - g.records AS first_number`,
  created: (schema, given) => `
    INSERT INTO ${schema}.sessions (context_id, epoch, last_position, commit_number, last_active_at,
      last_prompt, last_number, owner, settings, workspace_path, created_at, holder, pool)
    SELECT * FROM ${given} AS g ON CONFLICT DO NOTHING
    RETURNING context_id, owner, 0::bigint AS first_number`,
  events: (schema, given) => `
    INSERT INTO ${schema}.events (${listColumns(APPEND_COLUMNS.events)})
    SELECT g.* FROM ${given} AS g JOIN written USING (context_id)`,
  journal: (schema, given) => `
    INSERT INTO ${schema}.journal (context_id, number, record)
    SELECT g.context_id, w.first_number + g.ordinal, g.record
    FROM ${given} AS g JOIN written AS w USING (context_id)`,
  tasks: (schema, given) => `
    INSERT INTO ${schema}.tasks (${listColumns(APPEND_COLUMNS.tasks)}, owner)
    SELECT g.*, w.owner FROM ${given} AS g JOIN written AS w USING (context_id)
    ON CONFLICT (task_id) DO UPDATE SET state = excluded.state,
      last_position = excluded.last_position, updated_at = excluded.updated_at,
      epoch = excluded.epoch`,
  receipts: (schema, given) => `
    INSERT INTO ${schema}.receipts (${listColumns(APPEND_COLUMNS.receipts)})
    SELECT g.* FROM ${given} AS g JOIN written USING (context_id) ON CONFLICT DO NOTHING`,
  // If another instance has accepted the first message of the session, the statement fails, so that only one session is
  // created.
  firsts: (schema, given) => `
    INSERT INTO ${schema}.receipts (${listColumns(APPEND_COLUMNS.firsts)})
    SELECT g.* FROM ${given} AS g JOIN written USING (context_id)`,
  pushes: (schema, given) => `
    INSERT INTO ${schema}.pushes (${listColumns(APPEND_COLUMNS.pushes)})
    SELECT g.* FROM ${given} AS g JOIN written USING (context_id)
    ${resetPush()}`,
  replies: (schema, given) => `
    UPDATE ${schema}.inbox AS i SET reply = g.reply
    FROM ${given} AS g JOIN written USING (context_id) WHERE i.id = g.id AND i.reply IS NULL`,
};

/**
 * Returns the clause for a push config that is set again. The row keeps its position, due task and attempts.
 */
export function resetPush(): string {
  return `ON CONFLICT (task_id, config_id) DO UPDATE SET context_id = excluded.context_id,
      revision = excluded.revision, target = excluded.target, failures = 0,
      next_attempt_at = NULL, last_error = NULL, has_given_up = false`;
}

/** The parts that write the row of a session. */
const HEADS: readonly AppendPart[] = ["sessions", "created"];

/**
 * Builds the one statement of an append, which returns the ids of the sessions that it wrote. If the id of a session
 * is missing, none of its rows were stored, because its lease was lost or another instance has created it. Pure.
 */
export function buildAppend(schema: string, { rows, isRelaxed }: AppendRows): Statement {
  const parts = PARTS.filter((part) => rows[part].length > 0);
  const name = `append ${schema} ${isRelaxed ? "relaxed " : ""}${parts.join(" ")}`;
  const values = parts.flatMap((part) => toArrays(part, rows[part]));
  return { name, text: findText(name, { schema, parts, isRelaxed }), values };
}

const TEXTS = new Map<string, string>();

interface Shape {
  readonly schema: string;
  readonly parts: readonly AppendPart[];
  readonly isRelaxed: boolean;
}

function findText(name: string, shape: Shape): string {
  const text = TEXTS.get(name) ?? buildText(shape);
  TEXTS.set(name, text);
  return text;
}

function buildText({ schema, parts, isRelaxed }: Shape): string {
  let first = 1;
  const written = parts.filter((part) => HEADS.includes(part));
  const clauses = parts.map((part) => {
    const given = unnest(APPEND_COLUMNS[part], first);
    first += Object.keys(APPEND_COLUMNS[part]).length;
    return { part, text: `"${part}" AS (${BUILDERS[part](schema, given)})` };
  });
  const isHead = ({ part }: { readonly part: AppendPart }) => HEADS.includes(part);
  const union = written.map((part) => `SELECT * FROM "${part}"`).join(" UNION ALL ");
  const all = [
    // The setting ends with the statement. Postgres reads it when it commits the statement.
    ...(isRelaxed
      ? ["relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS mode)"]
      : []),
    ...clauses.filter(isHead).map(({ text }) => text),
    `written AS (${union})`,
    ...clauses.filter((clause) => !isHead(clause)).map(({ text }) => text),
  ];
  const mode = isRelaxed ? ", (SELECT mode FROM relaxed) AS mode" : "";
  return `WITH ${all.join(", ")} SELECT context_id${mode} FROM written`;
}

function listColumns(columns: ColumnTypes): string {
  return Object.keys(columns).join(", ");
}

/**
 * Builds a subquery of rows. Each column is one array parameter; `first` is the number of the first
 * parameter.
 */
function unnest(columns: ColumnTypes, first: number): string {
  const arrays = Object.values(columns).map((type, index) => `$${first + index}::${type}[]`);
  return `(SELECT * FROM unnest(${arrays.join(", ")}) AS t (${listColumns(columns)}))`;
}

/** Turns rows into one array for each column. */
function toArrays(part: AppendPart, rows: PartRows): unknown[][] {
  const names = Object.keys(APPEND_COLUMNS[part]);
  return names.map((_, column) => rows.map((row) => row[column]));
}
