import { expect, test } from "vitest";
import { proveFaults } from "./support/prove-faults.js";

test("cut, delayed, split and stalled at any byte, a client loses nothing and repeats nothing: a sample of 50 [LOG-02, LOG-05]", async () => {
  const { faults, reconnects } = await proveFaults(50, 7_000);

  expect(faults).toBeGreaterThan(150);
  expect(reconnects).toBeGreaterThan(50);
});
