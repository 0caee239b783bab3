import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openDataDir } from "../support/data-dir.js";
import { startServerProcess } from "../support/server-process.js";
import { rpc, sendAs } from "./token-stage.js";

const main = path.resolve(import.meta.dirname, "../../../apps/server/dist/main.js");

/** Opens a data directory. Tests start servers and run subcommands of dt-server with this directory. */
async function openSetup() {
  const workspace = await openTempWorkspace();
  const data = await openDataDir();
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
  };
  return {
    environment,
    start: (variables: Record<string, string> = {}) =>
      startServerProcess({ ...environment, ...variables }),
    /** Runs dt-server with arguments until it exits; resolves with its output and its exit code. */
    async run(...args: string[]) {
      const env = { PATH: process.env.PATH ?? "", HOME: data.directory, ...environment };
      const running = promisify(execFile)(process.execPath, [main, ...args], { env });
      const { stdout, stderr, code } = await running.then(
        (output) => ({ ...output, code: 0 }),
        (error: { stdout: string; stderr: string; code: number }) => error,
      );
      return { stdout, stderr, code };
    },
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await data[Symbol.asyncDispose]();
    },
  };
}

const create = (user: string, name: string, role: string, ...more: string[]) => [
  ...["token", "create", "--user", user, "--name", name, "--role", role],
  ...more,
];
const message = (text: string) => ({
  kind: "message",
  messageId: text,
  role: "user",
  parts: [{ kind: "text", text }],
});

test("tokens are created, listed and revoked while the server runs [SEC-03, SRV-18]", async () => {
  await using setup = await openSetup();
  await using server = await setup.start({ DT_AUTH: "required" });
  const created = await setup.run(...create("ada", "laptop", "approve", "--expires", "30d"));
  const token = created.stdout.trim();
  const body = rpc("message/stream", { message: message("write a.txt: hi") });

  const stream = await sendAs(server.url, { token, body });
  const question = await stream.text();
  const taskId = /"taskId":"([^"]+)"/.exec(question)?.[1];
  const open = await sendAs(server.url, { token, body: rpc("tasks/resubscribe", { id: taskId }) });
  const listed = await setup.run("token", "list");
  const revoked = await setup.run("token", "revoke", "ada/laptop");
  const rest = await open.text();

  expect(created.stdout).toMatch(/^dt_[0-9a-f]{16}_[\w-]{43}\n$/);
  expect(listed.stdout).toMatch(
    /^ada\/laptop +approve +- +valid until [\d-]+ [\d:]+Z +[\d-]+ [\d:]+Z +[\d-]+ /m,
  );
  expect(listed.stdout).not.toContain(token.slice(-43));
  expect(revoked.stdout).toBe("ada/laptop is revoked; its streams end within two seconds\n");
  expect(rest).toContain("the token was revoked");
  expect((await sendAs(`${server.url}v1/tasks`, { token })).status).toBe(401);
  expect((await setup.run("token", "list")).stdout).toMatch(/^ada\/laptop +approve +- +revoked /m);
});

test.for([
  [["token"], "expected token create, token list or token revoke"],
  [["token", "create", "--user", "ada"], "dt-server token create needs --user, --name and --role"],
  [
    create("ada", "laptop", "root"),
    "--role: expected one of observe, prompt, approve, admin, got root",
  ],
  [create("ada", "laptop", "admin", "--expires", "soon"), "--expires: expected a time such as 12h"],
  [create("a/b", "laptop", "admin"), "user: expected up to 64 letters"],
  [create("terminal", "laptop", "admin"), "user: terminal is reserved"],
  [["token", "revoke", "ada"], "dt-server token revoke needs USER/DEVICE"],
  [["token", "revoke", "ada/laptop"], "there is no valid token ada/laptop"],
  [["--user", "ada"], "--user is an option of dt-server token create"],
  [["sessions", "give", "--from", "local"], "dt-server sessions give needs --from and --to"],
  [["sessions", "give", "--from", "local", "--to", "ada"], "local has no sessions"],
] as const)("dt-server %j exits with 2 and prints one error line", async ([args, problem]) => {
  await using setup = await openSetup();

  const { stdout, stderr, code } = await setup.run(...args);

  expect([stdout, code]).toEqual(["", 2]);
  expect(stderr).toContain(problem);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("a device has at most one valid token, and a revoked token can be replaced", async () => {
  await using setup = await openSetup();
  const first = await setup.run(...create("ada", "laptop", "admin"));

  const again = await setup.run(...create("ada", "laptop", "admin"));
  await setup.run("token", "revoke", "ada/laptop");
  const replaced = await setup.run(...create("ada", "laptop", "admin"));

  expect(again).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("revoke ada/laptop first"),
  });
  expect(replaced.stdout).toMatch(/^dt_/);
  expect(replaced.stdout).not.toBe(first.stdout);
});

test("sessions of the local user can be given to another user while no server runs [SEC-03]", async () => {
  await using setup = await openSetup();
  const local = await setup.start();
  const { result } = await (
    await sendAs(local.url, { body: rpc("message/send", { message: message("say hello") }) })
  ).json();
  const meanwhile = await setup.run("sessions", "give", "--from", "local", "--to", "ada");
  await local.stop();
  const token = (await setup.run(...create("ada", "laptop", "admin"))).stdout.trim();

  const given = await setup.run("sessions", "give", "--from", "local", "--to", "ada");

  await using server = await setup.start({ DT_AUTH: "required" });
  const found = await (await sendAs(`${server.url}v1/tasks/${result.id}`, { token })).json();
  const next = await sendAs(server.url, {
    token,
    body: rpc("message/send", {
      message: { ...message("say again"), contextId: result.contextId },
    }),
  });
  expect(meanwhile).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("in use by another process"),
  });
  expect(given.stdout).toBe("ada has 1 session of local now\n");
  expect(found.id).toBe(result.id);
  expect((await next.json()).result.status.state).toBe("completed");
});

test("dt-server beyond loopback does not start without a token, and says how to create one [SEC-02]", async () => {
  await using setup = await openSetup();
  const start = () => setup.start({ DT_HOST: "0.0.0.0" });

  await expect(start()).rejects.toThrow(
    "dt-server token create --user NAME --name DEVICE --role admin",
  );
  await setup.run(...create("ada", "laptop", "admin"));
  await using server = await start();

  const { port } = new URL(server.url);
  expect((await sendAs(`http://127.0.0.1:${port}/v1/tasks`)).status).toBe(401);
});
