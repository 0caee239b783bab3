import type { A2aSpelling } from "../a2a/a2a.js";
import { V0_3 } from "../a2a/v0-3.js";

/** Spelling of the only version of A2A that gemini-cli's a2a-server speaks. */
export const GEMINI_SPELLING: A2aSpelling = V0_3;
