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
  ["ends while the task works", {}, "retry"],
  ["of a message ends while the task works", { isSubscription: false }, "retry"],
  ["fails while the task waits", { reason: cut, isWaiting: true }, "retry"],
  ["is a subscription and ends while the task waits", { isWaiting: true }, "poll"],
  ["of a message ends with the turn", { isSubscription: false, isWaiting: true }, undefined],
  ["is a subscription to an unknown method", { reason: refusals[0] }, "refused"],
  ["is a subscription that is not supported", { reason: refusals[1] }, "refused"],
  ["of a message is refused", { isSubscription: false, reason: refusals[0] }, "retry"],
])("chooseAfterStream chooses the next step if a stream %s", (_, end, expected) => {
  expect(chooseAfterStream({ ...working, ...end })).toBe(expected);
});

test("polls slow down to one in five seconds", () => {
  const rounds = [0, 1, 2, 3, 4, 100];

  const delays = rounds.map(pollDelay);

  expect(delays).toEqual([500, 1_000, 2_000, 5_000, 5_000, 5_000]);
});
