import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { createLogger } from "@dt/server";
import { expect, test } from "vitest";
import { composeServer } from "./compose.js";
import { parseEnv } from "./env.js";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Opens a server on a temporary directory, with a clock that the test moves. */
async function openApp() {
  const directory = await realpath(await mkdtemp(path.join(tmpdir(), "dt-compose-")));
  const startedAt = Date.now();
  const clock = { elapsedMs: 0 };
  const env = parseEnv({
    variables: {
      DT_DATA_DIR: path.join(directory, "data"),
      DT_SESSION_TTL_DAYS: "1",
      CODER_AGENT_PORT: "0",
    },
    home: directory,
    startDirectory: directory,
  });
  const logger = createLogger({ level: "silent", secrets: [], write: () => {} });
  const app = await composeServer(env, {
    logger,
    now: () => new Date(startedAt + clock.elapsedMs),
    elapsedMs: () => clock.elapsedMs,
    sweepMs: 5,
  });
  return {
    clock,
    sessions: path.join(directory, "data", "sessions"),
    /** Prompts the agent of a session to write a file; resolves with the state of the task. */
    async write(contextId: string): Promise<string> {
      const settings = { workspace_path: directory, auto_execute: true };
      const message = {
        kind: "message",
        role: "user",
        messageId: `${contextId} ${clock.elapsedMs}`,
        contextId,
        parts: [{ kind: "text", text: "write a.txt: hi" }],
        metadata: { [DEVELOPMENT_TOOL_URI]: settings },
      };
      const response = await fetch(app.url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "message/send",
          params: { message },
        }),
      });
      const { result } = (await response.json()) as {
        result: { status: { state: string } };
      };
      return result.status.state;
    },
    async [Symbol.asyncDispose]() {
      await app.close({ graceMs: 60_000 });
      await rm(directory, { recursive: true, force: true });
    },
  };
}

test("the files of a session are deleted after its time to live [SRV-21]", async () => {
  await using app = await openApp();
  const states = [await app.write("a/b"), await app.write("plain-id")];
  const before = await readdir(app.sessions);
  app.clock.elapsedMs += DAY_MS;

  const left = async () => {
    app.clock.elapsedMs += HOUR_MS;
    states.push(await app.write("young"));
    return await readdir(app.sessions);
  };
  await expect.poll(left, { timeout: 60_000 }).toEqual(["young"]);

  expect(new Set(states)).toEqual(new Set(["completed"]));
  expect(before).toHaveLength(2);
});
