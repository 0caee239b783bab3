import { expect, test } from "vitest";
import { createStateFeed } from "./state-feed.js";

const { signal } = new AbortController();

test("a subscriber gets the current state, then a state after each change", async () => {
  let count = 1;
  const feed = createStateFeed(() => count);
  const states = feed.states(signal);

  const first = await states.next();
  const second = states.next();
  count = 2;
  feed.notify();

  expect([first.value, (await second).value]).toEqual([1, 2]);
});

test("a slow subscriber skips states but gets the last one, even if the feed is closed", async () => {
  let count = 0;
  const feed = createStateFeed(() => count);
  const seen: number[] = [];
  const states = feed.states(signal);
  await states.next();
  for (count = 1; count < 9; count += 1) feed.notify();
  feed.close();

  for await (const state of states) seen.push(state);

  expect(seen).toEqual([9]);
});

test("every subscriber of a feed gets the state after a change", async () => {
  let count = 0;
  const feed = createStateFeed(() => count);
  const readers = [feed.states(signal), feed.states(signal)];
  for (const reader of readers) await reader.next();
  const changed = readers.map((reader) => reader.next());

  count = 1;
  feed.notify();

  expect((await Promise.all(changed)).map(({ value }) => value)).toEqual([1, 1]);
});

test("a waiting subscriber ends when its signal aborts", async () => {
  const leaving = new AbortController();
  const states = createStateFeed(() => 0).states(leaving.signal);
  await states.next();
  const ended = states.next();

  leaving.abort();

  expect(await ended).toEqual({ value: undefined, done: true });
});
