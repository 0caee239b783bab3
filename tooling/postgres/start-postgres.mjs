import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

const KEEPER = path.join(import.meta.dirname, "keep-postgres.mjs");
/**
 * Flags of a server for tests. Such a server need not survive a loss of power, so it does not wait for the
 * disk.
 */
const TEST_FLAGS = ["fsync=off", "full_page_writes=off", "max_connections=300"];

/** Starts a real Postgres server. It ends with this process at the latest. */
export async function startPostgres({ flags = TEST_FLAGS } = {}) {
  const keeper = spawn(process.execPath, [KEEPER, JSON.stringify({ flags })], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(keeper, "exit");
  const lines = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]();
  const { value: port } = await lines.next();
  if (port === undefined) throw new Error("Postgres did not start; its messages are above");

  async function send(command) {
    keeper.stdin.write(`${command}\n`);
    const { done } = await lines.next();
    if (done) throw new Error(`Postgres did not ${command}; its messages are above`);
  }

  return {
    port: Number(port),
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start: () => send("start"),
    stop: () => send("stop"),
    crash: () => send("crash"),
    async [Symbol.asyncDispose]() {
      keeper.stdin.end();
      await exited;
    },
  };
}
