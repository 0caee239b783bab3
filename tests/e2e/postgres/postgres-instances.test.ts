import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type InstanceUnderTest, openInstances } from "../support/open-instances.js";
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
  const watched = watchTask(await b.client.openTask(task.taskId));
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
    cursors.slice(-watched.seen.length),
  );
});

test("of the answers that race at three instances, one wins [SRV-27, CLI-14]", async () => {
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

test("a turn is cancelled on another instance than its own [SRV-27]", async () => {
  const workspacePath = stage.workspace.root;
  const task = await a.client.startTask({ workspacePath, prompt: "say one then wait 3600000" });
  const watched = watchTask(task);
  await watched.until((event) => event.kind === "TEXT_CONTENT");
  const other = await b.client.openTask(task.taskId);

  await other.cancel();
  await watched.done;
  expect(watched.seen.at(-1)?.state).toBe("canceled");
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
