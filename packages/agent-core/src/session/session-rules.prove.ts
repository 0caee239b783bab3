import { test } from "vitest";
import { checkSessionRules } from "./session-rules.test-support.js";

test("10,000 random sequences of prompts, answers, cancels and crashes obey the session rules", async () => {
  await checkSessionRules({ numRuns: 10_000, seed: 1 });
});
