/** The migrations, in order; a database remembers how many it has seen in `user_version`. */
export const migrations: readonly string[] = [
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
];
