/** The migrations, in order. The `user_version` of a database is the number of applied migrations. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sessions (
    context_id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    settings TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_seq INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE events (
    context_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    task_id TEXT NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (context_id, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX events_by_task ON events (task_id, seq);
  CREATE TABLE journal (
    context_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (context_id, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE tasks (
    task_id TEXT PRIMARY KEY,
    context_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    state TEXT NOT NULL,
    last_seq INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX tasks_by_state ON tasks (state);
  CREATE TABLE receipts (
    principal TEXT NOT NULL,
    message_id TEXT NOT NULL,
    context_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    after_seq INTEGER NOT NULL,
    PRIMARY KEY (principal, message_id)
  ) STRICT, WITHOUT ROWID;
  `,
  // Columns for lists and clean-up. The first and last position of a task replace an index of all events, which had to
  // be updated with every event.
  `
  ALTER TABLE sessions ADD COLUMN last_active_at TEXT NOT NULL DEFAULT '';
  UPDATE sessions SET last_active_at = coalesce((
    SELECT event ->> 'at' FROM events
    WHERE events.context_id = sessions.context_id AND events.seq = sessions.last_seq
  ), created_at);
  ALTER TABLE tasks ADD COLUMN first_seq INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE tasks ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
  UPDATE tasks SET
    first_seq = coalesce((SELECT min(seq) FROM events WHERE events.task_id = tasks.task_id), 1),
    updated_at = coalesce((
      SELECT event ->> 'at' FROM events
      WHERE events.context_id = tasks.context_id AND events.seq = tasks.last_seq
    ), '');
  DROP INDEX events_by_task;
  CREATE INDEX tasks_by_owner ON tasks (owner, updated_at, task_id);
  CREATE INDEX tasks_by_context ON tasks (context_id);
  CREATE INDEX receipts_by_context ON receipts (context_id);
  `,
  // The last prompt, for lists of sessions; '' if the session was never prompted.
  `
  ALTER TABLE sessions ADD COLUMN last_prompt TEXT NOT NULL DEFAULT '';
  UPDATE sessions SET last_prompt = coalesce((
    SELECT coalesce(nullif(substr(trim(event ->> '$.parts[0].text'), 1, 200), ''), '(no text)')
    FROM events
    WHERE events.context_id = sessions.context_id AND event ->> 'kind' = 'USER_PROMPT'
    ORDER BY seq DESC LIMIT 1
  ), '');
  CREATE INDEX sessions_by_owner ON sessions (owner, last_active_at);
  `,
  // The outbox: push configs with their positions in the log, and an index on the time of the next attempt.
  `
  CREATE TABLE pushes (
    task_id TEXT NOT NULL,
    config_id TEXT NOT NULL,
    context_id TEXT NOT NULL,
    revision TEXT NOT NULL,
    target TEXT NOT NULL,
    after_seq INTEGER NOT NULL,
    is_task_due INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    next_attempt_at TEXT,
    last_error TEXT,
    has_given_up INTEGER NOT NULL,
    PRIMARY KEY (task_id, config_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX pushes_by_context ON pushes (context_id);
  CREATE INDEX pushes_by_time ON pushes (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
  `,
  // Saved views of long tasks.
  `
  CREATE TABLE views (
    task_id TEXT PRIMARY KEY,
    context_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    view TEXT NOT NULL
  ) STRICT;
  CREATE INDEX views_by_context ON views (context_id);
  `,
  // Saved views contain cursors, whose format changed, so they are deleted.
  "DELETE FROM views;",
  // Checksums of rows, which are null in older rows. A session has the number of its last journal record, so that the
  // loss of this record is detected.
  `
  ALTER TABLE sessions ADD COLUMN last_number INTEGER NOT NULL DEFAULT 0;
  UPDATE sessions SET last_number = coalesce((
    SELECT max(number) FROM journal WHERE journal.context_id = sessions.context_id
  ), 0);
  ALTER TABLE sessions ADD COLUMN checksum INTEGER;
  ALTER TABLE events ADD COLUMN checksum INTEGER;
  ALTER TABLE journal ADD COLUMN checksum INTEGER;
  ALTER TABLE tasks ADD COLUMN checksum INTEGER;
  ALTER TABLE receipts ADD COLUMN checksum INTEGER;
  ALTER TABLE pushes ADD COLUMN checksum INTEGER;
  ALTER TABLE views ADD COLUMN checksum INTEGER;
  `,
  // Leases. A commit must match the epoch and the commit number of its session. Older rows have the epoch 0.
  // A task has the dialect in which it was created, which is '' for A2A.
  `
  ALTER TABLE sessions ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN commit_number INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE tasks ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE tasks ADD COLUMN dialect TEXT NOT NULL DEFAULT '';
  ALTER TABLE receipts ADD COLUMN digest TEXT NOT NULL DEFAULT '';
  `,
  // Tokens of users. Only the digest of a token is stored.
  `
  CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    user TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    tier TEXT NOT NULL,
    digest TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT NOT NULL,
    last_used_at TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tokens_by_user ON tokens (user, name, created_at);
  `,
  // The use of budgets. Reservations are part of the use, and are removed when they are settled.
  `
  CREATE TABLE budgets (
    account TEXT PRIMARY KEY,
    tokens INTEGER NOT NULL,
    nanos INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE reservations (
    id TEXT PRIMARY KEY,
    accounts TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    nanos INTEGER NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX reservations_by_time ON reservations (created_at);
  `,
  // Grants to users other than the owner of a session. Only the digest of a link's secret is stored.
  `
  CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    context_id TEXT NOT NULL,
    user TEXT NOT NULL,
    role TEXT NOT NULL,
    digest TEXT NOT NULL,
    link_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX grants_by_session ON grants (context_id, user);
  CREATE INDEX grants_by_user ON grants (user, created_at);
  `,
  // The audit. An id begins with its minute, so that records are sorted by time.
  `
  CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    user TEXT NOT NULL,
    name TEXT NOT NULL,
    address TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL,
    first_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    count INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
];
