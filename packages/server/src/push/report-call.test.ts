import { expect, test } from "vitest";
import type { PushRecord } from "../store/push-record.js";
import { DEFAULT_RETRY_POLICY } from "./advance-push.js";
import type { FinishedCall } from "./deliver-next.js";
import { logFailure, toPushCall } from "./report-call.js";

const progress = { after: 3, isTaskDue: false, attempts: 1, failures: 0, hasGivenUp: false };
const push: PushRecord = {
  taskId: "t",
  configId: "c",
  contextId: "x",
  revision: "1",
  target: {
    url: "https://hooks.example:8443/secret?key=secret",
    version: "1.0",
    developmentTool: true,
    session: true,
    allEvents: false,
  },
  progress,
};
const refused = { type: "refused", error: "the receiver answered 500", isFinal: false } as const;
const accepted: FinishedCall = {
  type: "called",
  push,
  progress,
  outcome: { type: "accepted" },
  ms: 5,
};
const failed: FinishedCall = {
  ...accepted,
  progress: { ...progress, failures: 2, nextAttemptAt: "2026-01-01T00:00:00.000Z" },
  outcome: { ...refused, addresses: ["10.0.0.1"] },
};
const givenUp: FinishedCall = {
  ...accepted,
  progress: { ...progress, failures: 3, hasGivenUp: true },
  outcome: refused,
};

test("a call is counted as delivered, retried or given up", () => {
  expect([accepted, failed, givenUp].map(toPushCall)).toEqual([
    { outcome: "delivered", ms: 5 },
    { outcome: "retried", ms: 5 },
    { outcome: "gaveUp", ms: 5 },
  ]);
});

test("a failed call is logged with the host of the receiver, but not its path [SEC-05]", () => {
  const lines: unknown[] = [];
  const note = (level: string) => (fields: object, sentence: string) => {
    lines.push([level, sentence, fields]);
  };
  const logger = {
    error: note("error"),
    warn: note("warn"),
    info: note("info"),
    debug: note("debug"),
  };

  for (const call of [accepted, failed, givenUp]) logFailure(call, logger);

  const about = { contextId: "x", taskId: "t", configId: "c", host: "hooks.example:8443" };
  const why = "the receiver answered 500";
  expect(lines).toEqual([
    [
      "info",
      "push failed",
      {
        ...about,
        why,
        failures: 2,
        addresses: ["10.0.0.1"],
        nextAttemptAt: "2026-01-01T00:00:00.000Z",
      },
    ],
    ["warn", "push given up", { ...about, why, failures: 3 }],
  ]);
});

test("the default retry policy allows 100 failures with at most 15 minutes between them", () => {
  expect(DEFAULT_RETRY_POLICY).toEqual({ baseMs: 1_000, maxMs: 900_000, maxFailures: 100 });
});
