import { expect, test } from "vitest";
import { proveRaces } from "./support/prove-races.js";

test("of two answers at once one wins and the other is told whose it was: 25 races [CLI-14, LOG-03, SRV-20]", async () => {
  const [ide, phone] = await proveRaces(25);

  // Each sets out first in every second race: nobody wins by being who it is.
  expect(ide + phone).toBe(25);
  expect(Math.min(ide, phone)).toBeGreaterThan(0);
});
