import { expect, test } from "vitest";
import { defaultLimits } from "./limits.js";
import { createStreamLimit } from "./stream-limit.js";

test("a thousand subscribers of one principal do not meet the default limit [SRV-10]", () => {
  const limit = createStreamLimit(defaultLimits.maxStreamsPerPrincipal);

  const open = Array.from({ length: 1_000 }, () => limit.open("local"));

  expect(open).toHaveLength(1_000);
});

test("a stream past the limit is refused until one is closed [SRV-10]", () => {
  const limit = createStreamLimit(1);
  const close = limit.open("local");

  expect(() => limit.open("local")).toThrow("1 streams are open already");
  close();
  close();

  expect(() => limit.open("local")).not.toThrow();
});
