import { expect, test } from "vitest";
import { McpFailure } from "./mcp-failure.js";
import { planReconnect } from "./plan-reconnect.js";

const schedule = { maxAttempts: 3, baseMs: 1_000, capMs: 30_000, maxRetryAfterMs: 0 };
const died = new McpFailure("died");
const missing = new McpFailure("does not exist", { isFinal: true });

test.each([
  [
    "is retried after a failure",
    { failure: died, connectedMs: 0, attempt: 1 },
    { type: "retry", delayMs: 500, nextAttempt: 2, error: "died" },
  ],
  [
    "is retried after a longer wait each time",
    { failure: died, connectedMs: 59_999, attempt: 2 },
    { type: "retry", delayMs: 1_000, nextAttempt: 3, error: "died" },
  ],
  [
    "is given up after the last attempt",
    { failure: died, connectedMs: 0, attempt: 3 },
    { type: "give-up", error: "died; given up after 3 attempts" },
  ],
  [
    "gets all attempts again after it was connected for a minute",
    { failure: died, connectedMs: 60_000, attempt: 3 },
    { type: "retry", delayMs: 500, nextAttempt: 2, error: "died" },
  ],
  [
    "is given up at once if no attempt can succeed",
    { failure: missing, connectedMs: 0, attempt: 1 },
    { type: "give-up", error: "does not exist" },
  ],
])("a server %s", (_name, { attempt, ...ended }, expected) => {
  expect(planReconnect(ended, { attempt, schedule, random: 0.5 })).toEqual(expected);
});
