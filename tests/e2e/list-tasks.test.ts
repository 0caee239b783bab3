import { randomUUID } from "node:crypto";
import { buildQuestion } from "@dt/schema/testing";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { post } from "./support/raw-rpc.js";
import { jsonOf } from "./ws-client.js";

const openAgent = createScriptedAgent(async (turn) => {
  if (turn.text === "ask") await turn.ask(buildQuestion());
  if (turn.text === "long") await turn.say("x".repeat(1_000_000));
  await turn.say(`echo ${turn.text}`);
});

/** Opens a server with one task for each pair of a prompt and a user. */
async function openServerWith(...prompts: readonly (readonly [string, string])[]) {
  const server = await openTestServer({ openAgent });
  const call = async (method: string, params: unknown, principal = "local") =>
    (await jsonOf(await post(server.url, method, params, { "X-Test-User": principal }))).result;
  const tasks = [];
  for (const [text, principal] of prompts) {
    const message = { role: "ROLE_USER", messageId: randomUUID(), parts: [{ text }] };
    tasks.push((await call("SendMessage", { message }, principal)).task);
  }
  return { server, tasks, call, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test("tasks are listed page by page, and each task is listed once", async () => {
  await using stage = await openServerWith(["a", "local"], ["b", "local"], ["c", "local"]);

  const first = await stage.call("ListTasks", { pageSize: 2 });
  const second = await stage.call("ListTasks", { pageSize: 2, pageToken: first.nextPageToken });

  expect(first).toMatchObject({ pageSize: 2, totalSize: 3 });
  expect(first.tasks).toHaveLength(2);
  expect(second).toMatchObject({ nextPageToken: "", totalSize: 3 });
  expect([...first.tasks, ...second.tasks].map(({ id }: { id: string }) => id).sort()).toEqual(
    stage.tasks.map(({ id }) => id).sort(),
  );
});

test("a list of tasks is filtered by context, state and time, in both versions of A2A", async () => {
  await using stage = await openServerWith(["a", "local"], ["ask", "local"]);
  const [done, waiting] = stage.tasks;
  const idsOf = ({ tasks }: { tasks: { id: string }[] }) => tasks.map(({ id }) => id);

  const byContext = await stage.call("ListTasks", { contextId: done.contextId });
  const byState = await stage.call("ListTasks", { status: "TASK_STATE_INPUT_REQUIRED" });
  const inOlder = await stage.call("tasks/list", { status: "completed" });
  const later = await stage.call("ListTasks", { statusTimestampAfter: "2999-01-01T00:00:00Z" });

  expect(idsOf(byContext)).toEqual([done.id]);
  expect(idsOf(byState)).toEqual([waiting.id]);
  expect(inOlder.tasks).toMatchObject([{ kind: "task", id: done.id }]);
  expect(later).toMatchObject({ tasks: [], totalSize: 0 });
});

test("ListTasks always returns open questions, but history and artifacts only on request", async () => {
  await using stage = await openServerWith(["a", "local"], ["ask", "local"]);

  const bare = (await stage.call("ListTasks", {})).tasks;
  const full = (await stage.call("ListTasks", { historyLength: 1, includeArtifacts: true })).tasks;
  const byState = (tasks: { status: { state: string } }[], state: string) =>
    tasks.find(({ status }) => status.state === state);

  const done = byState(full, "TASK_STATE_COMPLETED");
  const waiting = byState(bare, "TASK_STATE_INPUT_REQUIRED");
  expect(bare.map((task: object) => "history" in task || "artifacts" in task)).toEqual([
    false,
    false,
  ]);
  expect(done).toMatchObject({
    history: [{ parts: [{ text: "echo a" }] }],
    artifacts: [{ parts: [{ text: "echo a" }] }],
  });
  expect(waiting).toMatchObject({
    status: { message: { parts: [{ text: expect.stringContaining("proceed_once") }] } },
  });
});

test("ListTasks returns no tasks of other users [SEC-03]", async () => {
  await using stage = await openServerWith(["a", "alice"], ["b", "bob"]);
  const [alices] = stage.tasks;

  const list = await stage.call("ListTasks", {}, "alice");
  const stranger = await stage.call("ListTasks", { contextId: alices.contextId }, "bob");

  expect(list.tasks).toMatchObject([{ id: alices.id }]);
  expect(stranger).toMatchObject({ tasks: [], totalSize: 0 });
});

test("a page of large tasks is shorter than requested, and the next page continues [LOG-04]", async () => {
  const prompts = Array.from({ length: 9 }, () => ["long", "local"] as const);
  await using stage = await openServerWith(...prompts);
  const params = { pageSize: 100, historyLength: 100, includeArtifacts: true };
  const answered: string[] = [];
  const note = async <TValue>(name: string, answer: Promise<TValue>): Promise<TValue> => {
    const value = await answer;
    answered.push(name);
    return value;
  };

  const [first] = await Promise.all([
    note("list", stage.call("ListTasks", params)),
    note("get", stage.call("GetTask", { id: "nobody" })),
  ]);
  const pages = [first];
  while (pages.at(-1).nextPageToken !== "") {
    const pageToken = pages.at(-1).nextPageToken;
    pages.push(await stage.call("ListTasks", { ...params, pageToken }));
  }

  const sizes = pages.map((page) => JSON.stringify(page).length);
  const listed = pages.flatMap(({ tasks }) => tasks.map(({ id }: { id: string }) => id));
  expect(Math.max(...sizes)).toBeLessThan(8_000_000);
  expect(pages.length).toBeLessThan(9);
  expect(listed.sort()).toEqual(stage.tasks.map(({ id }) => id).sort());
  expect(pages.map(({ totalSize }) => totalSize)).toEqual(pages.map(() => 9));
  expect(answered).toEqual(["get", "list"]);
});
