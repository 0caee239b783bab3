import { expect, test } from "vitest";
import { proveRaces } from "./support/prove-races.js";

test("exactly one of two simultaneous answers is accepted in each of 25 races [CLI-14, LOG-03, SRV-20]", async () => {
  const [ide, phone] = await proveRaces(25);

  // Each race has exactly one winner. The clients take turns in sending the first answer, so each wins some
  // races.
  expect(ide + phone).toBe(25);
  expect(Math.min(ide, phone)).toBeGreaterThan(0);
});
