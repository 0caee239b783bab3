/** A real Postgres server in its own process. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Starts the server again on its data. */
  start(): Promise<void>;
  /** Stops the server as an operator does. Connections end at once. */
  stop(): Promise<void>;
  /** Stops the server without a checkpoint, like a crash. */
  crash(): Promise<void>;
}

/** An empty database, which is dropped when it is disposed. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Runs SQL beside the store; resolves with its rows. */
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Starts a server. By default, it does not wait for the disk. */
export function startPostgres(options?: {
  readonly flags?: readonly string[];
}): Promise<PostgresServer>;
/** Creates a database on the server that all test files share. */
export function openDatabase(): Promise<TestDatabase>;
/** Creates a database on a server. */
export function createDatabase(serverUrl: string): Promise<TestDatabase>;
