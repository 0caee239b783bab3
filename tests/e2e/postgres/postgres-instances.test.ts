import { randomUUID } from "node:crypto";
import { START_CURSOR } from "@dt/schema";
import { openPostgresStore } from "@dt/server/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCutProxy } from "../support/cut-proxy.js";
import { type InstanceUnderTest, openInstances } from "../support/open-instances.js";
import { openStage } from "../support/open-stage.js";
import { proveTakeOvers } from "../support/prove-take-overs.js";
import { watchTask } from "../support/watch-task.js";

// The tests share three processes on one database.
let stage: Awaited<ReturnType<typeof openInstances>>;
let a: InstanceUnderTest;
let b: InstanceUnderTest;
let c: InstanceUnderTest;
beforeAll(async () => {
  stage = await openInstances();
  [a, b, c] = await Promise.all([stage.start(), stage.start(), stage.start()]);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

test("a prompt on one instance is watched on another and answered on a third [SRV-27]", async () => {
  const workspacePath = stage.workspace.root;
  const prompt = "say one then run echo ran >> abc.txt then say two";
  const task = await a.client.startTask({ workspacePath, prompt });
  const prompted = watchTask(task);
  const watched = watchTask(await b.client.openTask(task.taskId), { after: START_CURSOR });
  const toolCallId = await watched.question();

  const answer = await (await c.client.openTask(task.taskId)).answer(
    { toolCallId },
    "proceed_once",
  );
  await Promise.all([prompted.done, watched.done]);

  expect(answer).toEqual({ accepted: true });
  expect(await stage.workspace.read("abc.txt")).toBe("ran\n");
  expect(prompted.seen.at(-1)?.state).toBe("completed");
  // Both instances give the same events the same cursors.
  const cursors = prompted.seen.map(({ cursor }) => cursor);
  expect(watched.seen.map(({ cursor }) => cursor).filter((each) => cursors.includes(each))).toEqual(
    cursors,
  );
});

test("if three instances get an answer at once, exactly one answer is accepted [SRV-27, CLI-14]", async () => {
  const workspacePath = stage.workspace.root;
  const task = await a.client.startTask({ workspacePath, prompt: "run echo ran >> race.txt" });
  const toolCallId = await watchTask(task).question();
  const tasks = await Promise.all([a, b, c].map(({ client }) => client.openTask(task.taskId)));

  const answers = await Promise.all(
    tasks.map((each) => each.answer({ toolCallId }, "proceed_once")),
  );
  await expect
    .poll(async () => (await b.client.openTask(task.taskId)).view().state)
    .toBe("completed");

  expect(answers.filter(({ accepted }) => accepted)).toHaveLength(1);
  expect(await stage.workspace.read("race.txt")).toBe("ran\n");
});

test("a turn can be cancelled on an instance that does not run it [SRV-27]", async () => {
  const workspacePath = stage.workspace.root;
  const task = await a.client.startTask({ workspacePath, prompt: "say one then wait 3600000" });
  const watched = watchTask(task);
  await watched.until((event) => event.kind === "TEXT_CONTENT");
  const other = await b.client.openTask(task.taskId);

  await other.cancel();
  await watched.done;
  expect(watched.seen.at(-1)?.state).toBe("canceled");
});

test("a prompt with autoExecute runs, even if it is sent to an instance without the session [SRV-27]", async () => {
  const workspacePath = stage.workspace.root;
  const { contextId } = await a.client.startTask({ workspacePath, prompt: "say one" });

  const prompt = "run echo auto >> auto.txt";
  const settings = { autoExecute: true };
  const task = await b.client.startTask({ workspacePath, contextId, prompt, settings });
  const watched = watchTask(task);
  await watched.done;

  expect(watched.seen.at(-1)?.state).toBe("completed");
  expect(await stage.workspace.read("auto.txt")).toBe("auto\n");
});

test("live output and the number of clients are the same at every instance [SRV-27]", async () => {
  const workspacePath = stage.workspace.root;
  const prompt = "run echo shown && exec sleep 600";
  const settings = { autoExecute: true };
  const task = await a.client.startTask({ workspacePath, prompt, settings });
  const own = watchTask(task);
  const joined = await b.client.openTask(task.taskId);
  const watched = watchTask(joined);

  const live = await watched.until(
    (event) => event.kind === "TOOL_CALL_UPDATE" && JSON.stringify(event).includes("shown\\n"),
  );
  const clients = async () => (await joined.presence())?.clients;
  await expect.poll(clients, { timeout: 600_000 }).toBe(2);
  await joined.cancel();
  await Promise.all([own.done, watched.done]);

  expect(live.cursor).toBeUndefined();
});

test("an instance that is stopped gives its sessions back, and another instance continues them [SRV-27]", async () => {
  const workspacePath = stage.workspace.root;
  const stopped = await stage.start({ DT_SHUTDOWN_GRACE_MS: "0" });
  const { client } = stopped;
  const asking = await client.startTask({ workspacePath, prompt: "run echo ran >> stopped.txt" });
  const toolCallId = await watchTask(asking).question();
  const working = await client.startTask({ workspacePath, prompt: "say one then wait 3600000" });
  await watchTask(working).until((event) => event.kind === "TEXT_CONTENT");
  const watched = watchTask(await b.client.openTask(working.taskId));

  const { code } = await stopped.server.stop();
  const answer = await (await c.client.openTask(asking.taskId)).answer(
    { toolCallId },
    "proceed_once",
  );
  await watched.done;

  // The lease of the stopped instance would have lasted 15 seconds, in which nobody could have answered.
  expect(code).toBe(0);
  expect(answer).toEqual({ accepted: true });
  expect(watched.seen.at(-1)?.state).toBe("failed");
});

test("the same first message at two instances makes one session [SRV-27, LOG-05]", async () => {
  const messageId = randomUUID();
  const send = async ({ server }: InstanceUnderTest) => {
    const message = {
      kind: "message",
      messageId,
      role: "user",
      parts: [{ kind: "text", text: "say once" }],
    };
    const response = await fetch(server.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params: { message } }),
    });
    return ((await response.json()) as { result: { id: string; contextId: string } }).result;
  };

  const results = await Promise.all([a, b, c].map(send));

  expect(new Set(results.map(({ id }) => id)).size).toBe(1);
  expect(
    await stage.database.query(
      `SELECT count(*)::int AS count FROM dt.receipts WHERE message_id = '${messageId}'`,
    ),
  ).toEqual([{ count: 1 }]);
  const sessions = await stage.database.query(
    `SELECT context_id FROM dt.sessions WHERE context_id = '${results[0]?.contextId}'`,
  );
  expect(sessions).toHaveLength(1);
});

test("killed instances are replaced: nothing is lost or repeated, and no tool runs twice [SRV-27, LOG-01, LOG-03]", async () => {
  const { completed, interrupted } = await proveTakeOvers(3, 20_262);

  expect(completed + interrupted).toBe(3);
});

test("a text that is interrupted by kill -9 is read to its end on another instance [SRV-27, LOG-01]", async () => {
  const killed = await stage.start({ DT_LEASE_SECONDS: "2" });
  const workspacePath = stage.workspace.root;
  const prompt = "chunks 5 then wait 3600000";
  const { taskId } = await killed.client.startTask({ workspacePath, prompt });
  const watched = watchTask(await b.client.openTask(taskId), { after: START_CURSOR });
  const textOf = () =>
    watched.seen.map((event) => (event.kind === "TEXT_CONTENT" ? event.text : "")).join("");
  await watched.until(() => textOf().includes("chunk 5"));

  await killed.server.kill();
  await watched.done;

  const last = watched.seen.at(-1);
  expect(last).toMatchObject({ state: "failed", error: "interrupted by a restart" });
  expect(new Set(watched.seen.map(({ cursor }) => cursor)).size).toBe(watched.seen.length);
});

test("polls alone are enough: without notifications, instances see each other's changes [SRV-27]", async () => {
  const { url } = stage.database;
  const open = async () => await openPostgresStore({ url, notifies: false });
  await using one = await openStage({ server: { store: await open() } });
  await using two = await openStage({ server: { store: await open() } });
  const [client, other] = [await one.connect(), await two.connect()];
  const workspacePath = one.workspace.root;
  const task = await client.startTask({ workspacePath, prompt: "write polled.txt: once" });
  const joined = await other.openTask(task.taskId);
  const watched = watchTask(joined, { after: START_CURSOR });
  const toolCallId = await watched.question();

  const answer = await joined.answer({ toolCallId }, "proceed_once");
  await watched.done;

  expect(answer).toEqual({ accepted: true });
  expect(await one.workspace.read("polled.txt")).toBe("once");
});

test("an instance continues after its connections to the database break, and others see each event once [SRV-27, LOG-07]", async () => {
  await using proxy = await openCutProxy(stage.database.url);
  const url = new URL(stage.database.url);
  url.port = new URL(proxy.url).port;
  const { client } = await stage.start({ DT_STORE: url.href });
  const workspacePath = stage.workspace.root;
  const prompt = "chunks 30 then run echo ran >> cut.txt then chunks 30";
  const task = await client.startTask({ workspacePath, prompt });
  const joined = await b.client.openTask(task.taskId);
  const watched = watchTask(joined, { after: START_CURSOR });
  const cutAndRestore = async () => {
    await proxy.cut();
    await proxy.restore();
  };

  await cutAndRestore();
  const toolCallId = await watched.question();
  await cutAndRestore();
  const answering = joined.answer({ toolCallId }, "proceed_once");
  await cutAndRestore();
  const answer = await answering;
  await watched.done;

  const text = watched.seen.map((event) => (event.kind === "TEXT_CONTENT" ? event.text : ""));
  const chunks = Array.from({ length: 30 }, (_, index) => `chunk ${index + 1}\n`).join("");
  expect(answer).toEqual({ accepted: true });
  expect(text.join("")).toBe(chunks + chunks);
  expect(await stage.workspace.read("cut.txt")).toBe("ran\n");
  expect(watched.seen.at(-1)?.state).toBe("completed");
});
