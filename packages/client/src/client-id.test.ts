import { once } from "node:events";
import { expect, test } from "vitest";
import { createFakeAgent } from "./testing/index.js";

/** Opens a fake agent that records its requests; `connect` creates a client of it. */
async function openStage({ hasCursors = true } = {}) {
  const agent = createFakeAgent({ hasCursors });
  const seen: { readonly method: string; readonly clientId: string | null }[] = [];
  const ended = new EventTarget();
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const body = typeof init?.body === "string" ? init.body : "{}";
    const { method = "card" } = JSON.parse(body) as { method?: string };
    seen.push({ method, clientId: new Headers(init?.headers).get("X-DT-Client-Id") });
    if (method === "client/end") ended.dispatchEvent(new Event("end"));
    return await agent.fetch(input, init);
  };
  return { seen, ended, connect: () => agent.connect({ fetch, transport: "sse" }) };
}

test("every client sends its own random id, the same one with every request [SEC-10]", async () => {
  const stage = await openStage();
  for (const client of [await stage.connect(), await stage.connect()]) {
    await client.startTask({ prompt: "hello", workspacePath: "/w" });
    await client.commands();
    client.close();
  }

  const requests = stage.seen.filter(({ method }) => !["card", "client/end"].includes(method));
  const ids = requests.map(({ clientId }) => clientId);

  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^\d+(-\d+){15}$/);
});

test("close() notifies the agent without waiting for its reply [SEC-10]", async () => {
  const stage = await openStage();
  const client = await stage.connect();
  await client.commands();
  const ended = once(stage.ended, "end");

  client.close();
  await ended;

  const [first, last] = [stage.seen.find(({ clientId }) => clientId), stage.seen.at(-1)];
  expect(last).toEqual({ method: "client/end", clientId: first?.clientId });
});

test("an agent without our session extension gets no client id and no client/end request", async () => {
  const stage = await openStage({ hasCursors: false });
  const client = await stage.connect();

  await client.commands();
  client.close();
  await new Promise(setImmediate);

  expect(stage.seen.map(({ clientId }) => clientId).filter(Boolean)).toEqual([]);
  expect(stage.seen.at(-1)?.method).not.toBe("client/end");
});
