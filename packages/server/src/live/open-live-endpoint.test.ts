import { expect, test } from "vitest";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { createScriptedAgent } from "../testing/fake-agent.js";
import { openLiveEndpoint } from "./open-live-endpoint.js";

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
type Json = any;

const settings = { workspacePath: "/work", allowedTools: [], mcpServers: {} };
const openAgent = createScriptedAgent(async (turn) => {
  await turn.say(`echo ${turn.text}`);
});

/** Opens an endpoint, and sends messages to it. */
async function openStage() {
  const store = openMemoryStore();
  const endpoint = await openLiveEndpoint({ store, port: 0 });
  let messages = 0;
  return {
    store,
    endpoint,
    open: () => endpoint.openSession({ openAgent, settings }),
    async send(text: string, contextId?: string): Promise<Json> {
      messages += 1;
      const message = {
        kind: "message",
        role: "user",
        messageId: `m-${messages}`,
        parts: [{ kind: "text", text }],
        ...(contextId !== undefined && { contextId }),
      };
      const params = { message };
      const response = await fetch(endpoint.url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params }),
      });
      return await response.json();
    },
    [Symbol.asyncDispose]: () => endpoint.close(),
  };
}

test("an endpoint passes each message to the session that it names [CLI-10]", async () => {
  await using stage = await openStage();
  const [one, two] = [await stage.open(), await stage.open()];

  const answers = [await stage.send("hi", two.contextId), await stage.send("ho", one.contextId)];
  const unnamed = await stage.send("hm");
  await two.close();
  const last = await stage.send("he");

  expect(answers).toMatchObject([
    { result: { id: two.taskId, contextId: two.contextId } },
    { result: { id: one.taskId, contextId: one.contextId } },
  ]);
  expect(unnamed.error.message).toContain("several sessions are open; name one of");
  expect(last).toMatchObject({ result: { contextId: one.contextId } });
  const text = JSON.stringify((await one.view()).items);
  expect(["hi", "ho", "hm", "he"].filter((word) => text.includes(`echo ${word}`))).toEqual([
    "ho",
    "he",
  ]);
  await one.close();
});

test("an endpoint without sessions refuses messages, and no longer finds a session that was closed [CLI-10]", async () => {
  await using stage = await openStage();
  const empty = await stage.send("hi");
  const session = await stage.open();
  const open = await stage.send("hi");
  await session.close();
  const closed = await stage.store.findTask(session.taskId);

  expect(empty).toHaveProperty("error");
  expect(closed?.state).toBe("completed");
  expect(open).toMatchObject({ result: { contextId: session.contextId } });
  expect(await stage.send("hi")).toEqual({ ...empty, id: 1 });
  expect((await stage.store.findSession(session.contextId))?.lastPrompt).toBe("hi");
});

test("a closed endpoint leaves its sessions and its store open", async () => {
  const { endpoint, open, store } = await openStage();
  const session = await open();

  await endpoint.close();

  await expect(fetch(new URL("/health", endpoint.url))).rejects.toThrow();
  expect((await session.view()).state).toBe("input-required");
  await session.close();
  expect(await store.check()).toEqual({ damagedSessions: [] });
});

test("an endpoint without authentication listens only on loopback [SEC-02]", async () => {
  const options = { store: openMemoryStore(), port: 0, host: "0.0.0.0" };

  await expect(openLiveEndpoint(options)).rejects.toThrow(/needs authentication.*use 127\.0\.0\.1/);
});
