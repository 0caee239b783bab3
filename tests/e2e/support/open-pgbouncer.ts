import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { findFreePort } from "./server-process.js";

/** A connection pooler in front of a database. */
export interface Pooler extends AsyncDisposable {
  /** Address of the database through the pooler. */
  readonly url: string;
}

/**
 * Starts PgBouncer in the mode in which each transaction may get another one of its few connections.
 * Rejects if PgBouncer is not installed: `apt-get install pgbouncer`.
 */
export async function openPgBouncer(databaseUrl: string): Promise<Pooler> {
  const { hostname, port: serverPort, pathname, username } = new URL(databaseUrl);
  const name = pathname.slice(1);
  const directory = await mkdtemp(path.join(tmpdir(), "dt-pgbouncer-"));
  await chmod(directory, 0o755);
  const port = await findFreePort();
  const settings = path.join(directory, "pgbouncer.ini");
  await writeFile(
    settings,
    `[databases]
${name} = host=${hostname} port=${serverPort} dbname=${name} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
`,
    { mode: 0o644 },
  );
  // PgBouncer refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn("pgbouncer", [settings], { ...account, cwd: directory, stdio: "ignore" });
  await Promise.race([once(child, "spawn"), once(child, "error").then(([error]) => reject(error))]);
  await untilListening(port, child);
  return {
    url: `postgres://${username}@127.0.0.1:${port}/${name}`,
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      if (child.kill("SIGKILL")) await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function reject(cause: unknown): never {
  throw new Error("PgBouncer cannot be started; install it: apt-get install pgbouncer", { cause });
}

/** Resolves when a port accepts connections; rejects if the process has ended. */
async function untilListening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
  }
  throw new Error(`PgBouncer ended with ${child.exitCode}`);
}
