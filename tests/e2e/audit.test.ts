import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { post, readStream } from "./support/raw-rpc.js";
import { startServerProcess } from "./support/server-process.js";

const main = path.resolve(import.meta.dirname, "../../apps/server/dist/main.js");

async function openSetup() {
  const [workspace, data] = await Promise.all([openTempWorkspace(), openDataDir()]);
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
    DT_AUTH: "required",
  };
  const run = (...args: readonly string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = { PATH: process.env.PATH ?? "", HOME: data.directory, ...environment };
      execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  return {
    root: workspace.root,
    run,
    start: () => startServerProcess(environment),
    async createToken(user: string, role: string) {
      const options = ["--user", user, "--name", "laptop", "--role", role];
      return (await run("token", "create", ...options)).stdout.trim();
    },
    async audit(since = "1h") {
      const { stdout } = await run("audit", "--since", since);
      const lines = stdout.split("\n").filter((line) => line !== "");
      // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
      return lines.map((line) => JSON.parse(line) as any);
    },
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await data[Symbol.asyncDispose]();
    },
  };
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

test("sign-ins, refusals, prompts and answers can be exported while the server runs [TEAM-05]", async () => {
  await using setup = await openSetup();
  const ada = await setup.createToken("ada", "approve");
  const bob = await setup.createToken("bob", "observe");
  await using server = await setup.start();
  const { url } = server;
  const message = {
    kind: "message",
    role: "user",
    messageId: randomUUID(),
    parts: [{ kind: "text", text: "write a.txt: a secret text" }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: setup.root } },
  };
  const asked = await readStream(await post(url, "message/stream", { message }, bearer(ada)));
  const { taskId, contextId } = asked.at(-1)?.json.result ?? {};
  const answer = {
    kind: "message",
    role: "user",
    messageId: randomUUID(),
    taskId,
    parts: [{ kind: "text", text: "proceed_once" }],
  };
  await readStream(await post(url, "message/stream", { message: answer }, bearer(ada)));
  await post(url, "message/send", { message: { ...message, messageId: "b" } }, bearer(bob));
  for (let count = 0; count < 5; count += 1) await post(url, "tasks/list", {}, bearer("wrong"));
  await setup.run("token", "revoke", "bob/laptop");

  await expect.poll(async () => (await setup.audit()).map(({ kind }) => kind)).toContain("refusal");
  const lines = await setup.audit();
  const find = (kind: string, fields: object = {}) =>
    lines.find(
      (line) =>
        line.kind === kind && Object.entries(fields).every(([key, value]) => line[key] === value),
    );

  expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).sort());
  expect(find("token-created", { subject: "ada/laptop" })).toMatchObject({
    user: "operator",
    detail: "approve",
  });
  expect(find("sign-in", { user: "ada" })).toMatchObject({
    name: "ada/laptop",
    address: expect.stringContaining("127.0.0.1"),
  });
  expect(find("prompt")).toMatchObject({
    user: "ada",
    owner: "ada",
    contextId,
    taskId,
    messageId: message.messageId,
  });
  expect(find("answer")).toMatchObject({ user: "ada", tool: "write_file", option: "proceed_once" });
  expect(find("refusal", { user: "bob" })).toMatchObject({
    detail: expect.stringContaining("needs the role prompt"),
  });
  const floods = lines.filter(({ kind, user }) => kind === "refusal" && user === undefined);
  expect(floods.length).toBeLessThanOrEqual(2);
  expect(floods.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(5);
  expect(find("token-revoked")).toMatchObject({ subject: "bob/laptop" });
  expect(JSON.stringify(lines)).not.toContain("a secret text");
});

test("an export begins at the given time, and an invalid time is refused [TEAM-05]", async () => {
  await using setup = await openSetup();
  await setup.createToken("ada", "approve");

  const wrong = await setup.run("audit", "--since", "yesterday");

  expect(await setup.audit("2999-01-01")).toEqual([]);
  expect(await setup.audit("2020-01-01")).toHaveLength(1);
  expect([wrong.code, wrong.stderr.trim()]).toEqual([
    2,
    "--since: expected a time such as 7d, 12h or 2026-01-31, got yesterday; try dt-server --help",
  ]);
});
