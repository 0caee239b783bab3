import { SetupError } from "@dt/schema";
import pg from "pg";
import { isConnectionError, toStoreFault } from "./postgres-error.js";

/** A row, by column. */
export type PostgresRow = Readonly<Record<string, unknown>>;

/** One statement with its parameters. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** A statement with a name is parsed once for each connection, unless there is a connection pooler. */
  readonly name?: string;
}

/** Connections to one database. */
export interface Database {
  /** Host, port and name of the database, for messages. It contains no secret. */
  readonly address: string;
  /**
   * True if the connections go through a connection pooler. Prepared statements and settings then do not stay with a
   * connection.
   */
  readonly isPooled: boolean;
  /** Runs a statement that reads, or that may run twice. It is tried once more after a connection error. */
  query(statement: Statement): Promise<readonly PostgresRow[]>;
  /** Runs a statement once. After a connection error, it is unknown whether the statement had its effect. */
  execute(statement: Statement): Promise<readonly PostgresRow[]>;
  /** Runs several statements as one transaction. */
  transact<TValue>(work: (run: Database["execute"]) => Promise<TValue>): Promise<TValue>;
  close(): Promise<void>;
}

/** Options of {@link openConnections}. */
export interface DatabaseOptions {
  readonly url: string;
  /** Maximum number of connections. */
  readonly maxConnections: number;
  /** Longest time for one statement, and for opening a connection. */
  readonly timeoutMs: number;
}

/** Opens connections. Rejects with a SetupError if the database cannot be reached. */
export async function openConnections(options: DatabaseOptions): Promise<Database> {
  const { url, maxConnections, timeoutMs } = options;
  const address = describeAddress(url);
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    application_name: "dt",
  });
  // The pool removes an idle connection that breaks. The next statement opens another one.
  pool.on("error", () => {});
  // If a connection breaks between two statements of a transaction, the second statement fails. Without a listener,
  // the break would end the process.
  pool.on("connect", (client) => void client.on("error", () => {}));
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new Error("the store is closed");
  }

  function toQuery({ text, values = [], name }: Statement) {
    const cleaned = values.map(withoutNul);
    return { text, values: cleaned, ...(name !== undefined && !isPooled && { name }) };
  }

  async function execute(statement: Statement): Promise<readonly PostgresRow[]> {
    checkOpen();
    return (await pool.query<PostgresRow>(toQuery(statement))).rows;
  }

  async function withFault<TValue>(work: () => Promise<TValue>): Promise<TValue> {
    try {
      return await work();
    } catch (error) {
      throw toStoreFault(error, address);
    }
  }

  let isPooled = false;
  try {
    isPooled = await findPooler(pool);
  } catch (cause) {
    await pool.end();
    const reason = cause instanceof Error ? cause.message || String(cause) : String(cause);
    throw new SetupError(
      `the database ${address} cannot be used: ${reason}; check DT_STORE and start the database`,
      { cause },
    );
  }

  return {
    address,
    isPooled,
    execute,
    query: (statement) =>
      withFault(async () => {
        try {
          return await execute(statement);
        } catch (error) {
          if (isClosed || !isConnectionError(error)) throw error;
          return await execute(statement);
        }
      }),
    transact: (work) =>
      withFault(async () => {
        checkOpen();
        const client = await pool.connect();
        let failure: Error | undefined;
        try {
          await client.query("BEGIN");
          const result = await work(async (statement) => {
            return (await client.query<PostgresRow>(toQuery(statement))).rows;
          });
          await client.query("COMMIT");
          return result;
        } catch (error) {
          // The connection is not used again, so the server rolls the transaction back.
          failure = error instanceof Error ? error : new Error(String(error));
          throw error;
        } finally {
          client.release(failure);
        }
      }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await pool.end();
    },
  };
}

/**
 * Returns true if a connection pooler answers for the server. The pooler tells the driver a process id of its own,
 * which is not the id of the server's process.
 */
async function findPooler(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<PostgresRow>("SELECT pg_backend_pid() AS pid");
    return Number(rows[0]?.pid) !== Reflect.get(client, "processID");
  } finally {
    client.release();
  }
}

/** Describes a database without its user and password. */
export function describeAddress(url: string): string {
  if (!URL.canParse(url)) return "in DT_STORE";
  const { host, pathname } = new URL(url);
  return `${decodeURIComponent(host) || "on this machine"}${pathname}`;
}

// Replaces the character NUL, which Postgres cannot store. JSON escapes this character, so no JSON changes.
function withoutNul(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? replaceNul(value) : value;
  if (Array.isArray(value)) return value.map(withoutNul);
  return value;
}

function replaceNul(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}
