import { expect, test } from "vitest";
import { createFollower } from "./follower.js";

/** Opens a follower whose loops end when the test says so. */
function openFollower() {
  const loops: { readonly signal: AbortSignal; end(reason?: unknown): void }[] = [];
  const follower = createFollower(async function* (signal) {
    await new Promise<void>((resolve, reject) => {
      loops.push({ signal, end: (reason) => (reason === undefined ? resolve() : reject(reason)) });
      signal.addEventListener("abort", () => resolve());
    });
    yield* [];
  });
  return { follower, loops };
}

const settle = () => new Promise(setImmediate);

test("one loop serves all subscribers, and ends when the last one leaves", () => {
  const { follower, loops } = openFollower();

  const [leave, leaveToo] = [follower.join({}), follower.join({})];
  expect(loops).toHaveLength(1);
  leave();
  expect(loops[0]?.signal.aborted).toBe(false);
  leaveToo();

  expect(loops[0]?.signal.aborted).toBe(true);
});

test("a loop that has ended starts again after a prompt, if there are subscribers", async () => {
  const { follower, loops } = openFollower();
  follower.start();
  expect(loops).toHaveLength(0);
  const leave = follower.join({});
  loops[0]?.end();
  await settle();
  expect(loops).toHaveLength(1);

  follower.start();

  expect(loops).toHaveLength(2);
  leave();
});

test("a prompt during a loop starts another loop when the first one has ended", async () => {
  const { follower, loops } = openFollower();
  const leave = follower.join({});

  follower.start();
  expect(loops).toHaveLength(1);
  loops[0]?.end();
  await settle();
  expect(loops).toHaveLength(2);
  loops[1]?.end();
  await settle();

  expect(loops).toHaveLength(2);
  leave();
});

test("the end of an aborted loop does not affect the next loop", async () => {
  const { follower, loops } = openFollower();
  follower.join({})();
  const leave = follower.join({});
  await settle();

  follower.start();
  await settle();

  expect(loops).toHaveLength(2);
  expect(loops[1]?.signal.aborted).toBe(false);
  leave();
  expect(loops[1]?.signal.aborted).toBe(true);
});

test("a new subscriber does not wait for an old loop that has not ended", () => {
  const loops: AbortSignal[] = [];
  const follower = createFollower(async function* (signal) {
    loops.push(signal);
    await new Promise(() => {});
    yield* [];
  });

  follower.join({})();
  follower.join({});

  expect(loops.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test("every subscriber gets the error of a loop", async () => {
  const { follower, loops } = openFollower();
  const errors: unknown[] = [];
  follower.join({ onError: (reason) => errors.push(reason) });
  follower.join({});
  follower.join({ onError: (reason) => errors.push(reason) });

  loops[0]?.end("broken");
  await settle();

  expect(errors).toEqual(["broken", "broken"]);
});
