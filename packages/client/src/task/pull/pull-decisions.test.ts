import { ProtocolError } from "@dt/schema";
import { expect, test } from "vitest";
import { TransportError } from "../../errors/transport-error.js";
import { chooseAfterStream, pollDelay, type StreamEnd } from "./pull-decisions.js";

const working: StreamEnd = { isSubscription: true, isWaiting: false };
const cut = new TransportError("closed", "cut");
const refusals = (["method-not-found", "unsupported-operation"] as const).map(
  (code) => new ProtocolError(code, "no"),
);

test.each<[string, Partial<StreamEnd>, ReturnType<typeof chooseAfterStream>]>([
  ["a subscription ends while the task works", {}, "retry"],
  ["the stream of a message ends while the task works", { isSubscription: false }, "retry"],
  ["a subscription fails while the task waits", { reason: cut, isWaiting: true }, "retry"],
  ["a subscription ends while the task waits", { isWaiting: true }, "poll"],
  [
    "the stream of a message ends with its turn",
    { isSubscription: false, isWaiting: true },
    undefined,
  ],
  ["the agent has no method for subscriptions", { reason: refusals[0] }, "refused"],
  ["the agent does not support the subscription", { reason: refusals[1] }, "refused"],
  ["the stream of a message is refused", { isSubscription: false, reason: refusals[0] }, "retry"],
])("chooseAfterStream chooses the next step if %s", (_, end, expected) => {
  expect(chooseAfterStream({ ...working, ...end })).toBe(expected);
});

test("pollDelay grows to five seconds while the task does not change", () => {
  const quietPolls = [0, 1, 2, 3, 4, 100];

  const delays = quietPolls.map(pollDelay);

  expect(delays).toEqual([500, 1_000, 2_000, 5_000, 5_000, 5_000]);
});
