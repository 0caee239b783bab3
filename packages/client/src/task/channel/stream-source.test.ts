import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { openConversation } from "../scripted-conversation.test-support.js";
import { openStreamSource } from "./stream-source.js";

function openSource(stream: () => Iterable<unknown> | AsyncIterable<unknown>) {
  const { conversation, seen, closing, monitor } = openConversation({ stream });
  const { transport, attempts } = conversation;
  const source = openStreamSource({ transport, attempts, method: "m", params: { id: "t" } });
  const listeners = () => getEventListeners(closing.signal, "abort").length;
  return { source, seen, closing, monitor, listeners };
}

test("results are read one by one, and no abort listener is left at the end", async () => {
  const { source, seen, listeners } = openSource(() => ["a", "b"]);
  expect([seen.length, listeners()]).toEqual([0, 1]);

  expect((await source.next())?.result).toBe("a");
  expect((await source.next())?.result).toBe("b");
  expect(await source.next()).toBeUndefined();

  expect(seen).toMatchObject([{ method: "m", params: { id: "t" } }]);
  expect(listeners()).toBe(0);
});

test("a broken stream throws its reason and leaves no abort listener", async () => {
  const { source, listeners } = openSource(() => {
    throw new Error("broken");
  });

  await expect(source.next()).rejects.toThrow("broken");

  expect(listeners()).toBe(0);
});

test("close() aborts the request, finishes the iterator and leaves no abort listener", async () => {
  let isFinished = false;
  const { source, seen, listeners } = openSource(function* () {
    try {
      yield "a";
      yield "b";
    } finally {
      isFinished = true;
    }
  });
  await source.next();

  source.close();
  await new Promise(setImmediate);

  expect(seen[0]?.signal?.aborted).toBe(true);
  expect(isFinished).toBe(true);
  expect(listeners()).toBe(0);
});

test("closing the client ends its streams", async () => {
  const { source, seen, closing } = openSource(() => ["a"]);
  await source.next();

  closing.abort(new Error("closed"));

  expect(seen[0]?.signal).toMatchObject({ aborted: true });
});

test("an opened stream reports that the agent was reached", async () => {
  const { source, monitor } = openSource(() => ["a"]);
  monitor.report({ status: "disconnected", reason: "cut" });

  await source.next();

  expect(monitor.state).toEqual({ status: "connected" });
});

test("an error while a closed stream ends is ignored", async () => {
  const { source, listeners } = openSource(function* () {
    try {
      yield "a";
    } finally {
      // biome-ignore lint/correctness/noUnsafeFinally: the stream fails while it ends.
      throw new Error("broken");
    }
  });
  await source.next();

  source.close();
  await new Promise(setImmediate);

  expect(listeners()).toBe(0);
});
