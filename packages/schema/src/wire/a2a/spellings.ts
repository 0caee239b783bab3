import type { A2aSpelling, A2aVersion } from "./a2a.js";
import { v0_3 } from "./v0-3.js";
import { v1_0 } from "./v1-0.js";

/** How each version of A2A spells things. */
export const spellings: Readonly<Record<A2aVersion, A2aSpelling>> = { "0.3": v0_3, "1.0": v1_0 };
