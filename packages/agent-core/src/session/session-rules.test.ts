import { test } from "vitest";
import { checkSessionRules } from "./session-rules.test-support.js";

// The same rules over many more sequences: session-rules.prove.ts.
test("whatever is prompted, answered, cancelled and crashed, every call follows its lifecycle, every question is answered at most once, nothing runs unapproved or twice, and a restored session is the one that was [RFC-11, LOG-03, SRV-07]", async () => {
  await checkSessionRules({ numRuns: 150, seed: 20_261_116 });
});
