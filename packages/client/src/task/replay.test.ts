import type { SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { createFakeAgent } from "../testing/index.js";

test("a replay from any cursor yields exactly the later events, with few requests [LOG-02]", async () => {
  const count = 32;
  const agent = createFakeAgent();
  let requests = 0;
  const fetch: typeof globalThis.fetch = (input, init) => {
    requests += 1;
    return agent.fetch(input, init);
  };
  const client = await agent.connect({ fetch, version: "1.0" });
  const first = await client.startTask({ workspacePath: "/work", prompt: "0" });
  const all: SessionEvent[] = [];
  for (let index = 1; index <= count; index += 1) {
    for await (const event of first.events()) all.push(event);
    if (index < count) await first.prompt(String(index));
  }
  const task = await client.openSession(first.contextId);
  const cursors = all.map(({ cursor }) => cursor);
  const costs: number[] = [];

  for (let index = 0; index < all.length; index += 9) {
    requests = 0;
    const replayed: (string | undefined)[] = [];
    for await (const { cursor } of task.events({ after: cursors[index] ?? "" })) {
      // Requests before the first event are the cost of finding the position.
      if (replayed.length === 0) costs.push(requests);
      replayed.push(cursor);
    }
    expect(replayed).toEqual(cursors.slice(index + 1));
  }

  expect(Math.max(...costs)).toBeLessThan(count);
});
