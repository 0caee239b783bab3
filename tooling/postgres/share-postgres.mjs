// Global set-up of vitest: all test files of a run share one Postgres server. The server starts when the
// first test needs it.
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { startPostgres } from "./start-postgres.mjs";

/** Listens on a local socket, and answers each connection with the address of the Postgres server. */
export default async function sharePostgres() {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-share-"));
  let starting;
  const listener = createServer((socket) => {
    socket.on("error", () => {});
    starting ??= startPostgres();
    starting.then(
      ({ url }) => socket.end(url),
      (reason) => socket.destroy(reason),
    );
  });
  const isWindows = process.platform === "win32";
  const address = isWindows
    ? `\\\\.\\pipe\\${path.basename(directory)}`
    : path.join(directory, "postgres.sock");
  await new Promise((resolve) => listener.listen(address, resolve));
  process.env.DT_TEST_POSTGRES = address;
  return async () => {
    listener.close();
    const server = await starting?.catch(() => undefined);
    await server?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  };
}
