/// <reference types="node" />
import { getEventListeners } from "node:events";
import { buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { createFakeAgent, type FakeScript } from "../testing/index.js";

const askAndWait: FakeScript = async (turn) => {
  await turn.ask(buildQuestion());
};

const kinds = (["sse", "websocket"] as const).flatMap((transport) =>
  [true, false].map((hasCursors) => ({ transport, hasCursors })),
);

test.each(kinds)(
  "whoever leaves while the next event is awaited has left, over $transport, cursors: $hasCursors",
  async ({ transport, hasCursors }) => {
    const { signal } = new AbortController();
    const agent = createFakeAgent({ script: askAndWait, hasCursors });
    const client = await agent.connect({ transport });
    const task = await client.startTask({ workspacePath: "/work", prompt: "hi" });
    const iterator = task.events({ signal })[Symbol.asyncIterator]();
    let event = await iterator.next();
    while (event.value?.state !== "input-required") event = await iterator.next();

    // Nothing follows before someone answers, which nobody does.
    const pending = iterator.next();
    const left = await iterator.return?.();

    expect(left).toEqual({ done: true, value: undefined });
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(client.connection.status).toBe("connected");
    client.close();
  },
);

test("whoever leaves before the first event never began", async () => {
  const client = await createFakeAgent({ script: askAndWait }).connect();
  const task = await client.startTask({ workspacePath: "/work", prompt: "hi" });
  const iterator = task.events()[Symbol.asyncIterator]();

  expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
});
