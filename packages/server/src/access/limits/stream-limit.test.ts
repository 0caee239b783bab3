import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "./limits.js";
import { createStreamLimit } from "./stream-limit.js";

test("a user may have a thousand streams by default [SRV-10]", () => {
  const limit = createStreamLimit(DEFAULT_LIMITS.maxStreamsPerPrincipal);

  const open = Array.from({ length: 1_000 }, () => limit.open("local"));

  expect(open).toHaveLength(1_000);
});

test("a stream beyond the limit is refused until another stream is closed [SRV-10]", () => {
  const limit = createStreamLimit(1);
  const close = limit.open("local");

  expect(() => limit.open("local")).toThrow("1 streams are open already");
  close();

  expect(() => limit.open("local")).not.toThrow();
});

test("a stream that is closed twice makes room for only one new stream [SRV-10]", () => {
  const limit = createStreamLimit(2);
  const close = limit.open("local");
  limit.open("local");

  close();
  close();
  limit.open("local");

  expect(() => limit.open("local")).toThrow(
    expect.objectContaining({ code: "agent-busy", data: { retryAfterMs: 1_000 } }),
  );
});
