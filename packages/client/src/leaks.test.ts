/// <reference types="node" />
import { getEventListeners } from "node:events";
import { buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { createFakeAgent, type FakeScript } from "./testing/index.js";

const script: FakeScript = async (turn) => {
  if (turn.text === "ask") await turn.ask(buildQuestion({ toolCallId: `call-${turn.turn}` }));
  turn.say(turn.text);
};

const kinds = (["sse", "websocket"] as const).flatMap((transport) =>
  [true, false].map((hasCursors) => ({ transport, hasCursors })),
);

test.each(kinds)(
  "every method removes its abort listeners (transport $transport, hasCursors $hasCursors)",
  async ({ transport, hasCursors }) => {
    const agent = createFakeAgent({ script, hasCursors, commandScripts: { note: script } });
    const { signal } = new AbortController();
    const client = await agent.connect({ transport, reconnect: { baseMs: 1, maxMs: 2 } });
    const task = await client.startTask({ workspacePath: "/work", prompt: "hi", signal });
    for await (const _ of task.events({ signal }));

    for (let round = 0; round < 5; round += 1) {
      await task.prompt("ask", { signal });
      for await (const event of task.events({ signal })) {
        if (event.kind !== "STATE_CHANGE" || event.waiting?.[0] === undefined) continue;
        if (round === 3) agent.network.cut();
        await task.answer(event.waiting[0], "proceed_once", { signal });
      }
      for await (const _ of client.listTasks({ signal }));
      await client.commands({ signal });
      const run = await client.run(["note"], "x", { signal });
      for await (const _ of run.events({ signal }));
      await task.cancel({ signal }).catch(() => {});
    }

    expect(task.view().items.at(-1)?.event).toMatchObject({ text: "ask" });
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    client.close();
  },
);

test("the view of a session with many turns stays bounded", async () => {
  const client = await createFakeAgent().connect({ version: "0.3" });
  const task = await client.startTask({ workspacePath: "/work", prompt: "0" });
  for await (const _ of task.events());

  for (let turn = 1; turn <= 150; turn += 1) {
    await task.prompt(String(turn));
    for await (const _ of task.events());
  }

  const { items, earlierItems } = task.view();
  expect(items).toHaveLength(200);
  expect(earlierItems).toBe(102);
});

test.each(["sse", "websocket"] as const)(
  "many loops with one signal leave no listener and cause no warning, over %s",
  async (transport) => {
    const client = await createFakeAgent({ script }).connect({ transport });
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on("warning", warn);
    const task = await client.startTask({ workspacePath: "/work", prompt: "ask" });

    const loops = Array.from({ length: 30 }, async () => {
      for await (const event of task.events({ signal })) {
        if (event.state === "input-required") return event;
      }
      return undefined;
    });
    const ends = await Promise.all(loops);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", warn);

    expect(ends.filter((event) => event === undefined)).toEqual([]);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    client.close();
  },
);
