import { test } from "vitest";
import { checkSessionRules } from "./session-rules.test-support.js";

// session-rules.prove.ts checks the same rules over many more sequences.
test("random sequences of prompts, answers, cancels and crashes obey the session rules [RFC-11, LOG-03, SRV-07]", async () => {
  await checkSessionRules({ numRuns: 150, seed: 20_261_116 });
});
