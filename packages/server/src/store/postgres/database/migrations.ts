/** Returns the statements that migrate the tables from one version to the next. */
export type Migration = (schema: string) => string;

/**
 * The migrations, in order. The version of a schema is the number of applied migrations. Columns that change with
 * every append have no index, because Postgres would then have to change the index too. Texts are compared by their
 * bytes, as in the other stores.
 */
export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  (schema) =>
    [createSessionTables, createPushTables, createAccessTables, createBudgetTables]
      .map((create) => create(schema))
      .join("\n"),
  createAuditTable,
  createInstanceTables,
];

function createSessionTables(schema: string): string {
  return `
  CREATE TABLE ${schema}.instances (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    lease_until timestamptz NOT NULL
  );
  CREATE TABLE ${schema}.sessions (
    context_id text COLLATE "C" PRIMARY KEY,
    owner text COLLATE "C" NOT NULL,
    settings text NOT NULL,
    workspace_path text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    last_position bigint NOT NULL,
    last_active_at text COLLATE "C" NOT NULL,
    last_prompt text,
    last_number bigint NOT NULL,
    epoch integer NOT NULL,
    commit_number bigint NOT NULL,
    holder uuid
  ) WITH (fillfactor = 70);
  CREATE INDEX sessions_by_owner ON ${schema}.sessions (owner);
  CREATE TABLE ${schema}.events (
    context_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    task_id text COLLATE "C" NOT NULL,
    epoch integer NOT NULL,
    kind text NOT NULL,
    event text NOT NULL,
    PRIMARY KEY (context_id, position)
  );
  CREATE TABLE ${schema}.journal (
    context_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    record text NOT NULL,
    PRIMARY KEY (context_id, number)
  );
  CREATE TABLE ${schema}.tasks (
    task_id text COLLATE "C" PRIMARY KEY,
    context_id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    state text NOT NULL,
    first_position bigint NOT NULL,
    last_position bigint NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    epoch integer NOT NULL,
    dialect text
  ) WITH (fillfactor = 70);
  CREATE INDEX tasks_by_owner ON ${schema}.tasks (owner);
  CREATE INDEX tasks_by_context ON ${schema}.tasks (context_id);
  CREATE INDEX tasks_by_state ON ${schema}.tasks (state);
  CREATE TABLE ${schema}.receipts (
    user_name text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    context_id text COLLATE "C" NOT NULL,
    task_id text COLLATE "C" NOT NULL,
    turn bigint NOT NULL,
    after_position bigint NOT NULL,
    digest text,
    PRIMARY KEY (user_name, message_id)
  );
  CREATE INDEX receipts_by_context ON ${schema}.receipts (context_id);
  CREATE TABLE ${schema}.views (
    task_id text COLLATE "C" PRIMARY KEY,
    context_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    view text NOT NULL
  );
  CREATE INDEX views_by_context ON ${schema}.views (context_id);
  `;
}

function createPushTables(schema: string): string {
  return `
  CREATE TABLE ${schema}.pushes (
    task_id text COLLATE "C" NOT NULL,
    config_id text COLLATE "C" NOT NULL,
    context_id text COLLATE "C" NOT NULL,
    revision text NOT NULL,
    target text NOT NULL,
    after_position bigint NOT NULL,
    is_task_due boolean NOT NULL,
    attempts bigint NOT NULL,
    failures bigint NOT NULL,
    next_attempt_at text COLLATE "C",
    last_error text,
    has_given_up boolean NOT NULL,
    PRIMARY KEY (task_id, config_id)
  );
  CREATE INDEX pushes_by_context ON ${schema}.pushes (context_id);
  CREATE INDEX pushes_by_time ON ${schema}.pushes (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
  `;
}

function createAccessTables(schema: string): string {
  return `
  CREATE TABLE ${schema}.tokens (
    id text COLLATE "C" PRIMARY KEY,
    user_name text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    role text NOT NULL,
    tier text,
    digest text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    expires_at text COLLATE "C",
    revoked_at text COLLATE "C",
    last_used_at text COLLATE "C"
  );
  CREATE INDEX tokens_by_user ON ${schema}.tokens (user_name, name);
  CREATE TABLE ${schema}.grants (
    id text COLLATE "C" PRIMARY KEY,
    context_id text COLLATE "C" NOT NULL,
    user_name text COLLATE "C" NOT NULL,
    role text NOT NULL,
    digest text NOT NULL,
    link_id text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    expires_at text COLLATE "C" NOT NULL,
    revoked_at text COLLATE "C" NOT NULL
  );
  CREATE INDEX grants_by_session ON ${schema}.grants (context_id, user_name);
  CREATE INDEX grants_by_user ON ${schema}.grants (user_name, created_at);
  `;
}

function createBudgetTables(schema: string): string {
  return `
  CREATE TABLE ${schema}.budgets (
    account text COLLATE "C" PRIMARY KEY,
    tokens bigint NOT NULL,
    nanos bigint NOT NULL
  );
  CREATE TABLE ${schema}.reservations (
    id text COLLATE "C" PRIMARY KEY,
    accounts text[] NOT NULL,
    tokens bigint NOT NULL,
    nanos bigint NOT NULL,
    created_at text COLLATE "C" NOT NULL
  );
  `;
}

function createAuditTable(schema: string): string {
  return `
  CREATE TABLE ${schema}.audit (
    id text COLLATE "C" PRIMARY KEY,
    kind text NOT NULL,
    user_name text NOT NULL,
    name text NOT NULL,
    address text NOT NULL,
    subject text NOT NULL,
    detail text NOT NULL,
    first_at text COLLATE "C" NOT NULL,
    last_at text COLLATE "C" NOT NULL,
    count bigint NOT NULL
  );
  `;
}

/**
 * Returns the SQL for the pools of sessions and for the tables that instances share. A crash of the database empties
 * unlogged tables.
 */
function createInstanceTables(schema: string): string {
  return `
  ALTER TABLE ${schema}.sessions ADD COLUMN pool text;
  ALTER TABLE ${schema}.pushes ADD COLUMN claimed_by uuid, ADD COLUMN claimed_until timestamptz;
  CREATE TABLE ${schema}.inbox (
    id uuid PRIMARY KEY,
    number bigint GENERATED ALWAYS AS IDENTITY,
    context_id text COLLATE "C" NOT NULL,
    user_name text COLLATE "C" NOT NULL,
    message_id text COLLATE "C",
    request text NOT NULL,
    claimed_by uuid,
    reply text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (user_name, message_id)
  );
  CREATE UNLOGGED TABLE ${schema}.credentials (
    credential text COLLATE "C" NOT NULL,
    instance uuid NOT NULL,
    PRIMARY KEY (credential, instance)
  );
  CREATE UNLOGGED TABLE ${schema}.live_output (
    context_id text COLLATE "C" NOT NULL,
    tool_call_id text COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    event text NOT NULL,
    PRIMARY KEY (context_id, tool_call_id)
  );
  CREATE UNLOGGED TABLE ${schema}.presence (
    context_id text COLLATE "C" NOT NULL,
    instance uuid NOT NULL,
    clients text NOT NULL,
    noted_at timestamptz NOT NULL,
    PRIMARY KEY (context_id, instance)
  );
  `;
}
