import { expect, test } from "vitest";
import { isTransportError } from "../errors/transport-error.js";
import { createFrameQueue } from "./frame-queue.js";

const frame = (result: number) => ({ result, cursor: undefined });

test("take() returns results in the order of push(), even if take() is called first", async () => {
  const queue = createFrameQueue({ maxFrames: 10, maxLength: 100 });
  queue.push(frame(1), 1);
  const first = await queue.take();
  const waiting = queue.take();
  queue.push(frame(2), 1);
  queue.push(frame(3), 1);
  queue.end();

  expect([first, await waiting, await queue.take(), await queue.take()]).toEqual([
    frame(1),
    frame(2),
    frame(3),
    undefined,
  ]);
});

test.each([
  ["two frames", { maxFrames: 2, maxLength: 1_000 }],
  ["25 characters", { maxFrames: 1_000, maxLength: 25 }],
])(
  "a queue at its bound of %s drops results, and take() then rejects as lagged",
  async (_, bounds) => {
    const queue = createFrameQueue(bounds);
    const kept = [1, 2, 3, 4].map((number) => queue.push(frame(number), 10));

    const taken = [await queue.take(), await queue.take()];
    const reason = await queue.take().catch((error: unknown) => error);

    expect(kept).toEqual([true, true, false, false]);
    expect(taken).toEqual([frame(1), frame(2)]);
    expect(isTransportError(reason) && reason.reason).toBe("lagged");
  },
);

test("a single frame may be larger than the bound, because it must be delivered", async () => {
  const queue = createFrameQueue({ maxFrames: 2, maxLength: 5 });

  expect(queue.push(frame(1), 50)).toBe(true);
  expect(await queue.take()).toEqual(frame(1));
});
