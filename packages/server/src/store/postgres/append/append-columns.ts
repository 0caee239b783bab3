/** Types of columns, by name. */
export type ColumnTypes = Readonly<Record<string, string>>;

/** Columns of the parameters of an append, with their types. */
export const APPEND_COLUMNS = {
  sessions: {
    context_id: "text",
    epoch: "integer",
    head: "bigint",
    commit_number: "bigint",
    next_position: "bigint",
    next_number: "bigint",
    active_at: "text",
    prompt: "text",
    records: "bigint",
  },
  created: {
    context_id: "text",
    epoch: "integer",
    next_position: "bigint",
    next_number: "bigint",
    active_at: "text",
    prompt: "text",
    records: "bigint",
    owner: "text",
    settings: "text",
    workspace_path: "text",
    created_at: "text",
    holder: "uuid",
    pool: "text",
  },
  events: {
    context_id: "text",
    position: "bigint",
    task_id: "text",
    epoch: "integer",
    kind: "text",
    event: "text",
  },
  journal: { context_id: "text", ordinal: "bigint", record: "text" },
  tasks: {
    context_id: "text",
    task_id: "text",
    state: "text",
    first_position: "bigint",
    last_position: "bigint",
    updated_at: "text",
    epoch: "integer",
    dialect: "text",
  },
  receipts: {
    context_id: "text",
    user_name: "text",
    message_id: "text",
    task_id: "text",
    turn: "bigint",
    after_position: "bigint",
    digest: "text",
  },
  firsts: {
    context_id: "text",
    user_name: "text",
    message_id: "text",
    task_id: "text",
    turn: "bigint",
    after_position: "bigint",
    digest: "text",
  },
  pushes: {
    context_id: "text",
    task_id: "text",
    config_id: "text",
    revision: "text",
    target: "text",
    after_position: "bigint",
    is_task_due: "boolean",
    attempts: "bigint",
    failures: "bigint",
    next_attempt_at: "text",
    last_error: "text",
    has_given_up: "boolean",
  },
  replies: { context_id: "text", id: "uuid", reply: "text" },
} as const satisfies Readonly<Record<string, ColumnTypes>>;

/** A kind of rows that an append writes. */
export type AppendPart = keyof typeof APPEND_COLUMNS;

/** Rows of one part, each with one value for each column. */
export type PartRows = readonly (readonly unknown[])[];

/** The rows of an append. */
export interface AppendRows {
  readonly rows: Readonly<Record<AppendPart, PartRows>>;
  /** True if a loss of power may lose the append, because it has only text and thoughts. */
  readonly isRelaxed: boolean;
}
