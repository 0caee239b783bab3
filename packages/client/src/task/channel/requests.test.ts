import { DEFAULT_EXTENSION_URIS, emptyTaskView, ProtocolError, type TaskView } from "@dt/schema";
import { encodeTaskPage, spellings } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { TransportError } from "../../errors/transport-error.js";
import { spellTask } from "../../testing/fake-frames.js";
import { openConversation } from "../scripted-conversation.test-support.js";
import { sessionTasks } from "../session/session-tasks.js";
import { type ListedTasks, listTasks } from "../task-list.js";
import { cancelTask, getTask } from "./requests.js";

const activation = { uris: DEFAULT_EXTENSION_URIS, session: true, developmentTool: true };
const dialect = { spelling: spellings["1.0"], activation };
const cut = () => new TransportError("closed", "cut");
const done = new ProtocolError("task-not-cancelable", "it has ended");

function page(count: number, nextPageToken?: string) {
  const tasks = Array.from({ length: count }, (_, index) =>
    task(`${nextPageToken ?? "last"}${index}`),
  );
  return encodeTaskPage({
    tasks,
    pageSize: 20,
    totalSize: 40,
    ...(nextPageToken !== undefined && { nextPageToken }),
  });
}

const task = (id: string, view: Partial<TaskView> = {}) =>
  spellTask({ ...emptyTaskView(id, "c"), ...view }, dialect);

test("getTask requests the given length of history", async () => {
  const { conversation, seen } = openConversation({ call: () => task("t") });

  expect(await getTask(conversation, "t", undefined, 5)).toMatchObject({ taskId: "t" });

  expect(seen[0]).toMatchObject({ method: "GetTask", params: { id: "t", historyLength: 5 } });
});

test("cancelTask succeeds if a reply was lost and the retry finds the task not cancelable", async () => {
  const outcomes = [cut(), done];
  const { conversation } = openConversation({
    call: () => {
      throw outcomes.shift() ?? new Error("called too often");
    },
  });

  await expect(cancelTask(conversation, "t")).resolves.toBeUndefined();
});

test.each([
  ["no earlier reply was lost", [done]],
  ["the agent refuses for another reason", [cut(), new ProtocolError("task-not-found", "no")]],
  ["the agent was only busy before", [new ProtocolError("agent-busy", "wait"), done]],
])("cancelTask fails with the agent's error if %s", async (_, outcomes) => {
  const last = outcomes.at(-1);
  const { conversation } = openConversation({
    call: () => {
      throw outcomes.shift() ?? new Error("called too often");
    },
  });

  await expect(cancelTask(conversation, "t")).rejects.toBe(last);
});

test("a list starts at its page token and continues page by page", async () => {
  const pages = [page(2, "2"), page(1)];
  const { conversation, seen } = openConversation({ call: () => pages.shift() });

  const listed: string[] = [];
  for await (const { taskId } of listTasks(conversation, { contextId: "c", pageToken: "1" }))
    listed.push(taskId);

  expect(listed).toEqual(["20", "21", "last0"]);
  expect(seen.map(({ params }) => params.pageToken)).toEqual(["1", "2"]);
  expect(seen[0]?.params).toMatchObject({ contextId: "c" });
});

test("each page has the total number of tasks and the token of the next page", async () => {
  const pages = [page(1, "2"), page(1)];
  const { conversation, seen } = openConversation({ call: () => pages.shift() });
  const { signal } = new AbortController();

  const listed: ListedTasks[] = [];
  for await (const each of listTasks(conversation, { pageSize: 1, signal }).pages())
    listed.push(each);

  expect(listed.map(({ tasks, ...rest }) => [tasks.map(({ taskId }) => taskId), rest])).toEqual([
    [["20"], { nextPageToken: "2", totalSize: 40 }],
    [["last0"], { totalSize: 40 }],
  ]);
  expect(seen.map(({ params }) => params)).toEqual([
    { pageSize: 1 },
    { pageSize: 1, pageToken: "2" },
  ]);
});

test("sessionTasks lists tasks oldest first, and stops when their items fill a view", async () => {
  const items = Array.from({ length: 100 }, (_, index) => ({
    at: "",
    event: {
      kind: "USER_PROMPT" as const,
      messageId: `m${index}`,
      parts: [{ type: "text" as const, text: "x" }],
      origin: { principal: "local", name: "" },
    },
  }));
  const full = (id: string) => task(id, { items });
  const pages = [
    encodeTaskPage({ tasks: [full("new")], pageSize: 20, totalSize: 9, nextPageToken: "1" }),
    encodeTaskPage({ tasks: [full("old")], pageSize: 20, totalSize: 9, nextPageToken: "2" }),
  ];
  const { conversation, seen } = openConversation({ call: () => pages.shift() });

  const tasks = await sessionTasks(conversation, "c");

  expect(tasks.map(({ taskId }) => taskId)).toEqual(["old", "new"]);
  expect(seen[0]?.params).toMatchObject({ contextId: "c", historyLength: 200, pageSize: 20 });
});

test.each(["unsupported-operation", "method-not-found"] as const)(
  "sessionTasks returns nothing if the agent replies with %s",
  async (code) => {
    const { conversation } = openConversation({
      call: () => {
        throw new ProtocolError(code, "no");
      },
    });

    expect(await sessionTasks(conversation, "c")).toEqual([]);
  },
);

test("sessionTasks throws the error task-not-found of an agent", async () => {
  const { conversation } = openConversation({
    call: () => {
      throw new ProtocolError("task-not-found", "no");
    },
  });

  await expect(sessionTasks(conversation, "c")).rejects.toThrow("no");
});

test("an unreadable task is refused with the path of the fault", async () => {
  const { conversation } = openConversation({ call: () => 5 });

  await expect(getTask(conversation, "t")).rejects.toThrow(/^result: /);
});

test("sessionTasks requests another page while the view has room for one more item", async () => {
  const items = Array.from({ length: 199 }, (_, index) => ({
    at: "",
    event: {
      kind: "USER_PROMPT" as const,
      messageId: `m${index}`,
      parts: [{ type: "text" as const, text: "x" }],
      origin: { principal: "local", name: "" },
    },
  }));
  const pages = [
    encodeTaskPage({
      tasks: [task("new", { items })],
      pageSize: 20,
      totalSize: 2,
      nextPageToken: "1",
    }),
    page(1),
  ];
  const { conversation } = openConversation({ call: () => pages.shift() });

  const tasks = await sessionTasks(conversation, "c");

  expect(tasks.map(({ taskId }) => taskId)).toEqual(["last0", "new"]);
});

test.each(["a list", "the tasks of a session"])(
  "a signal aborts the request for %s",
  async (name) => {
    let resolve = () => {};
    const called = new Promise<void>((done) => {
      resolve = done;
    });
    const { conversation, seen } = openConversation({
      call: ({ signal }) => {
        resolve();
        return new Promise((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
        });
      },
    });
    const abort = new AbortController();
    const { signal } = abort;
    const running =
      name === "a list"
        ? listTasks(conversation, { signal })[Symbol.asyncIterator]().next()
        : sessionTasks(conversation, "c", signal);
    await called;

    abort.abort(new Error("enough"));

    expect(seen.map((request) => request.signal?.aborted)).toEqual([true]);
    await expect(running).rejects.toThrow("enough");
  },
);
