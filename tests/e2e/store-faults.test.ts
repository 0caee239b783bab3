import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { openSqliteStore } from "@dt/server";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { proveDeletedData } from "./support/prove-deleted-data.js";
import { proveFlips } from "./support/prove-flips.js";
import { post } from "./support/raw-rpc.js";
import { startServerProcess } from "./support/server-process.js";

const cli = path.resolve(import.meta.dirname, "../../apps/cli/dist/main.js");

test("a flipped bit in the data file never changes the content that is served [LOG-06]", async () => {
  const { right, session, store } = await proveFlips(25, 13);

  expect(right + session + store).toBe(25);
  expect(session).toBeGreaterThan(0);
});

test("a server whose data directory was deleted refuses every prompt [LOG-07]", async () => {
  expect(await proveDeletedData(3)).toBe(3);
});

test("a changed byte damages only its session, and /health counts damaged sessions [LOG-06]", async () => {
  await using workspace = await openTempWorkspace();
  await using data = await openDataDir();
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
  };
  const call = async (url: string, method: string, params: unknown) =>
    (await (await post(url, method, params)).json()) as {
      result?: { id: string; contextId: string };
      error?: { message: string };
    };
  const say = (text: string) => {
    const parts = [{ kind: "text", text }];
    return { message: { kind: "message", role: "user", messageId: text, parts } };
  };
  const first = await startServerProcess(environment);
  const bad = await call(first.url, "message/send", say("say periwinkle"));
  const good = await call(first.url, "message/send", say("say marigold"));
  await first.stop();
  const file = path.join(data.directory, "dt-server.db");
  const bytes = await readFile(file);
  // Replaces every copy of the word, because some copies are in rows that are never read.
  const flipped = bytes.toString("latin1").replaceAll("periwinkle", "periwonkle");
  await writeFile(file, flipped, "latin1");

  await using server = await startServerProcess(environment);
  const damaged = await call(server.url, "tasks/get", { id: bad.result?.id });
  const whole = await call(server.url, "tasks/get", { id: good.result?.id });
  const health = await fetch(`${server.url}health`);

  expect(damaged.error?.message).toContain(`the session ${bad.result?.contextId} is damaged`);
  expect(JSON.stringify(whole.result)).toContain("marigold");
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({ status: "healthy", damagedSessions: 1 });
  expect(await server.log("the store has a fault")).toContain(bad.result?.contextId);
});

for (const [what, prepare, reason] of [
  [
    "a data file that is not a database",
    (file: string) => writeFile(file, "nothing ".repeat(999)),
    "is damaged (file is not a database)",
  ],
  ["a data file of a newer dt", writeNewerFile, "was written by a newer dt"],
  ["a data file that cannot be opened", (file: string) => mkdir(file), "cannot be opened"],
] as const) {
  test(`${what} causes one error line and exit code 2 in both apps [LOG-07]`, async () => {
    await using data = await openDataDir();
    await prepare(path.join(data.directory, "dt-server.db"));
    await prepare(path.join(data.directory, "dt.db"));

    const [server, terminal] = await startBoth(data.directory, data.directory);

    const pattern = new RegExp(`^[^\\n]*${reason.replaceAll(/[()]/g, "\\$&")}[^\\n]*\\n$`);
    expect(server).toMatch(pattern);
    expect(terminal).toMatch(pattern);
  });
}

test("a data directory that cannot be created causes one error line and exit code 2 in both apps [LOG-07]", async () => {
  await using data = await openDataDir();
  const file = path.join(data.directory, "taken");
  await writeFile(file, "");

  const [server, terminal] = await startBoth(path.join(file, "data"), data.directory);

  const pattern = /^[^\n]*taken\/data cannot be created: [^\n]*; choose another DT_DATA_DIR\n$/;
  expect(server).toMatch(pattern);
  expect(terminal).toMatch(pattern);
});

async function writeNewerFile(file: string): Promise<void> {
  await openSqliteStore({ file }).close();
  const bytes = await readFile(file);
  // Sets the `user_version` in the header, see https://www.sqlite.org/fileformat2.html
  bytes.writeUInt32BE(999, 60);
  await writeFile(file, bytes);
}

/** Starts dt-server and dt. Returns the stderr of each, with a prefix if it did not exit with 2. */
async function startBoth(dataDir: string, home: string): Promise<readonly [string, string]> {
  const environment = { DT_DATA_DIR: dataDir, DT_WORKSPACE_ROOTS: home, CODER_AGENT_PORT: "0" };
  const prefix = "dt-server ended with 2: ";
  const server = await startServerProcess(environment, home).then(
    () => "it started",
    ({ message }: Error) => (message.startsWith(prefix) ? message.slice(prefix.length) : message),
  );
  const terminal = await new Promise<string>((resolve) => {
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: home,
      DT_DATA_DIR: dataDir,
      DT_MODEL: "offline",
    };
    execFile(process.execPath, [cli, "-p", "say hi"], { cwd: home, env }, (error, _out, stderr) =>
      resolve(error?.code === 2 ? stderr : `exit code ${error?.code}: ${stderr}`),
    ).stdin?.end();
  });
  return [server, terminal];
}
