import { expect, test } from "vitest";
import { createStreamOrder, type StreamOrder, type StreamPurpose } from "./stream-order.js";

/** Opens a stream whose results the test provides. */
function openStream(order: StreamOrder, purpose: StreamPurpose = {}) {
  const resolvers: ((result: unknown) => void)[] = [];
  const state = { reads: 0, isClosed: false };
  const stream = order.add(
    {
      next: () => {
        state.reads += 1;
        return new Promise((resolve) => {
          resolvers.push((result) => resolve({ result, cursor: undefined }));
        });
      },
      close: () => {
        state.isClosed = true;
      },
    },
    purpose,
  );
  return { stream, state, give: (result: unknown) => resolvers.shift()?.(result) };
}

const none = () => undefined;

test("streams of answers are read first, then streams of prompts, each in order of opening", () => {
  const order = createStreamOrder();
  const first = openStream(order);
  const second = openStream(order);
  const answer = openStream(order, { isAnswer: true });
  for (const { stream } of [second, first, answer]) order.offer(stream);

  const read = Array.from({ length: 4 }, () => {
    const { number } = order.advance(none) ?? {};
    order.leave();
    return number;
  });

  expect(read).toEqual([3, 1, 2, undefined]);
  expect(order.waiting).toBe(0);
});

test("answers are read in the order in which they were sent", () => {
  const order = createStreamOrder();
  const first = openStream(order, { isAnswer: true });
  const prompt = openStream(order);
  const second = openStream(order, { isAnswer: true });
  for (const { stream } of [second, prompt, first]) order.offer(stream);

  const read = Array.from({ length: 3 }, () => {
    const { number } = order.advance(none) ?? {};
    order.leave();
    return number;
  });

  expect(read).toEqual([1, 3, 2]);
});

test("advance() returns the current stream until leave() is called", () => {
  const order = createStreamOrder();
  const subscription = openStream(order, { isSubscription: true });

  expect(order.advance(() => subscription.stream)).toBe(subscription.stream);
  expect(order.advance(none)).toBe(subscription.stream);
  order.leave();
  expect(order.current).toBeUndefined();
  expect(subscription.state.isClosed).toBe(false);
});

test("a message closes the subscription, and the message's own stream is read next", async () => {
  const order = createStreamOrder();
  const subscription = openStream(order, { isSubscription: true });
  const own = openStream(order);
  order.advance(() => subscription.stream);
  const next = subscription.stream.next();

  order.offer(own.stream);

  expect(await next).toBe("later");
  expect(subscription.state.isClosed).toBe(true);
  expect(order.current).toBeUndefined();
  expect(order.advance(none)).toBe(own.stream);
});

test("the stream of a queued prompt waits for the stream of an answer, and loses no result", async () => {
  const order = createStreamOrder();
  const prompt = openStream(order);
  const answer = openStream(order, { isAnswer: true });
  order.offer(prompt.stream);
  order.advance(none);
  const interrupted = prompt.stream.next();

  order.offer(answer.stream);

  expect(await interrupted).toBe("later");
  expect(order.advance(none)).toBe(answer.stream);
  order.leave();
  expect(order.advance(none)).toBe(prompt.stream);
  const next = prompt.stream.next();
  prompt.give("kept");
  expect(await next).toMatchObject({ result: "kept" });
  expect(prompt.state).toEqual({ reads: 1, isClosed: false });
});

test.each([
  [
    "a prompt whose turn has begun is read to its end before an answer's stream",
    {},
    false,
    { isAnswer: true },
  ],
  [
    "an answer is read to its end before the next answer's stream",
    { isAnswer: true },
    true,
    { isAnswer: true },
  ],
  ["a prompt without events is read to its end before another prompt's stream", {}, true, {}],
])("the stream of %s", async (_, purpose, isFresh, later) => {
  const order = createStreamOrder();
  const current = openStream(order, purpose);
  order.offer(current.stream);
  order.advance(none);
  current.stream.isFresh = isFresh;
  const next = current.stream.next();

  order.offer(openStream(order, later).stream);
  current.give("more");

  expect(await next).toMatchObject({ result: "more" });
  expect(order.current).toBe(current.stream);
  expect(order.waiting).toBe(1);
});

test("a dropped stream is closed and no longer read", () => {
  const order = createStreamOrder();
  const own = openStream(order);
  order.offer(own.stream);
  order.advance(none);

  order.drop();

  expect(own.state.isClosed).toBe(true);
  expect(order.current).toBeUndefined();
  expect(order.waiting).toBe(0);
});
