import type { A2aSpelling, A2aVersion } from "./a2a.js";
import { V0_3 } from "./v0-3.js";
import { V1_0 } from "./v1-0.js";

/** Spelling of each version of A2A. */
export const spellings: Readonly<Record<A2aVersion, A2aSpelling>> = { "0.3": V0_3, "1.0": V1_0 };
