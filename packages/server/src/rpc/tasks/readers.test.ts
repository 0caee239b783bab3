import { expect, test } from "vitest";
import type { Commit } from "../../store/commit.js";
import { openMemoryStore } from "../../store/memory/open-memory-store.js";
import { createScriptedAgent } from "../../testing/fake-agent.js";
import { echoPrompt } from "../../testing/fake-turn.js";
import { openTestServer } from "../../testing/open-test-server.js";

/** Opens a server on a store with one session, and records the commits, leases and agents of the server. */
async function openRestarted() {
  const memory = openMemoryStore();
  const store = { ...memory, close: async () => {} };
  const before = await openTestServer({ store });
  const first = await send(before.url, "message/send", say("one", "hello"));
  const { id: taskId, contextId } = first.result as { id: string; contextId: string };
  await before[Symbol.asyncDispose]();

  const commits: Commit[] = [];
  const counts = { opened: 0, acquired: 0 };
  const openAgent = createScriptedAgent(echoPrompt);
  const server = await openTestServer({
    store: {
      ...store,
      acquire(...args) {
        counts.acquired += 1;
        return store.acquire(...args);
      },
      commit(group) {
        commits.push(...group);
        return store.commit(group);
      },
    },
    openAgent(options) {
      counts.opened += 1;
      return openAgent(options);
    },
  });
  return { server, url: server.url, store, taskId, contextId, commits, counts };
}

function say(messageId: string, text: string, more: object = {}) {
  return { message: { role: "user", messageId, parts: [{ kind: "text", text }], ...more } };
}

async function request(url: string, method: string, params: object, headers = {}) {
  return await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "A2A-Version": "0.3", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

async function send(url: string, method: string, params: object) {
  return (await (await request(url, method, params)).json()) as { result: unknown };
}

const hook = { url: "https://example.com/hook", id: "hook" };

test("reading a stored session commits nothing and opens no agent [LOG-04]", async () => {
  const { server, url, taskId, contextId, commits, counts } = await openRestarted();
  await using _ = server;
  const config = { taskId, pushNotificationConfig: hook };
  const named = { id: taskId, pushNotificationConfigId: "hook" };

  const got = await send(url, "tasks/get", { id: taskId });
  const listed = await send(url, "tasks/list", { contextId });
  const resubscribed = await (
    await request(url, "tasks/resubscribe", { id: taskId }, { "Last-Event-ID": "0" })
  ).text();
  const pushed = [
    await send(url, "tasks/pushNotificationConfig/set", config),
    await send(url, "tasks/pushNotificationConfig/get", named),
    await send(url, "tasks/pushNotificationConfig/list", { id: taskId }),
    await send(url, "tasks/pushNotificationConfig/delete", named),
  ];
  const repeated = await send(url, "message/send", say("one", "hello"));

  expect(got.result).toMatchObject({ id: taskId, status: { state: "completed" } });
  expect(listed.result).toMatchObject({ tasks: [{ id: taskId }] });
  expect(resubscribed).toContain("hello");
  expect(pushed.map((answer) => "result" in answer)).toEqual([true, true, true, true]);
  expect(repeated.result).toMatchObject({ id: taskId });
  expect(counts).toEqual({ opened: 0, acquired: 0 });
  expect(commits).toEqual([]);
  expect(server.faults).toEqual([]);
});

test("a subscriber of a stored session gets the events of an agent that is opened later [LOG-04]", async () => {
  const { server, url, taskId, contextId, counts } = await openRestarted();
  await using _ = server;
  const abort = new AbortController();
  const uri = "urn:dt:extension:session:v0.1";
  const response = await fetch(url, {
    method: "POST",
    signal: abort.signal,
    headers: { "Content-Type": "application/json", "X-A2A-Extensions": uri },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "session/subscribe",
      params: { context_id: contextId },
    }),
  });
  const openedToRead = counts.opened;

  await send(url, "message/send", say("two", "again", { contextId }));
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('"completed"')) break;
  }
  abort.abort();

  expect(openedToRead).toBe(0);
  expect(counts).toEqual({ opened: 1, acquired: 1 });
  expect(text).toContain("again");
  expect(taskId).not.toBe("");
});
