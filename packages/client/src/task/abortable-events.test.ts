/// <reference types="node" />
import { getEventListeners } from "node:events";
import { buildEvent, buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { createFakeAgent, type FakeScript } from "../testing/index.js";
import { toAbortableEvents } from "./abortable-events.js";

const askAndWait: FakeScript = async (turn) => {
  await turn.ask(buildQuestion());
};

const kinds = (["sse", "websocket"] as const).flatMap((transport) =>
  [true, false].map((hasCursors) => ({ transport, hasCursors })),
);

test.each(kinds)(
  "return() ends an iterator that waits for an event ($transport, hasCursors $hasCursors)",
  async ({ transport, hasCursors }) => {
    const { signal } = new AbortController();
    const agent = createFakeAgent({ script: askAndWait, hasCursors });
    const client = await agent.connect({ transport });
    const task = await client.startTask({ workspacePath: "/work", prompt: "hi" });
    const iterator = task.events({ signal })[Symbol.asyncIterator]();
    let event = await iterator.next();
    while (event.value?.state !== "input-required") event = await iterator.next();

    // No event follows, because nobody answers the question.
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

test("return() before the first event ends an iterator that never started", async () => {
  const client = await createFakeAgent({ script: askAndWait }).connect();
  const task = await client.startTask({ workspacePath: "/work", prompt: "hi" });
  const iterator = task.events()[Symbol.asyncIterator]();

  expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
});

/** Wraps a generator of `count` events, which then throws `failure`. `notes` records whether it was aborted. */
function openEvents(count: number, failure?: Error) {
  const notes: string[] = [];
  const events = toAbortableEvents(async function* ({ signal }) {
    try {
      for (let at = 0; at < count; at += 1) yield buildEvent({ kind: "QUEUE", prompts: [] });
      if (failure !== undefined) throw failure;
    } finally {
      notes.push(signal?.aborted === true ? "aborted" : "left");
    }
  });
  return { events, notes };
}

test("leaving a loop between two events does not abort the generator", async () => {
  const { signal } = new AbortController();
  const leaving = openEvents(2);
  const staying = openEvents(2);
  let count = 0;

  for await (const _ of leaving.events({ signal })) break;
  for await (const _ of staying.events({ signal })) count += 1;

  expect([leaving.notes, staying.notes, count]).toEqual([["left"], ["left"], 2]);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("an error of the generator rejects the loop and releases its signal", async () => {
  const { signal } = new AbortController();
  const failure = new Error("cut");
  const iterator = openEvents(1, failure).events({ signal })[Symbol.asyncIterator]();

  await iterator.next();

  await expect(iterator.next()).rejects.toBe(failure);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("an error of the generator after return() is ignored", async () => {
  const events = toAbortableEvents(async function* ({ signal }) {
    await new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(new Error("aborted")));
    });
    yield* [];
  });
  const iterator = events()[Symbol.asyncIterator]();
  const pending = iterator.next();

  await iterator.return?.();

  expect(await pending).toEqual({ done: true, value: undefined });
});

test("leaving a loop waits until its generator has released everything", async () => {
  let isReleased = false;
  const events = toAbortableEvents(async function* () {
    try {
      yield buildEvent({ kind: "QUEUE", prompts: [] });
    } finally {
      await new Promise(setImmediate);
      isReleased = true;
    }
  });

  for await (const _ of events()) break;

  expect(isReleased).toBe(true);
});
