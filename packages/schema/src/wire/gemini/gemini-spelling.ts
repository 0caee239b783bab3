import type { A2aSpelling } from "../a2a/a2a.js";
import { v0_3 } from "../a2a/v0-3.js";

/** The one version of A2A that gemini-cli's a2a-server speaks. */
export const GEMINI_SPELLING: A2aSpelling = v0_3;
