import type { Origin } from "@dt/schema";
import type { ConnectionMonitor } from "../task/connection-monitor.js";
import type { GeminiLine } from "./gemini-line.js";
import type { KeepWarm } from "./keep-warm.js";

/** How long the peer may be silent after an answer; one that takes it says so within milliseconds. */
export interface AnswerPatience {
  /** With edited content, on which 0.25.2 hangs for ever. */
  readonly editMs: number;
  readonly otherMs: number;
}

/** What every task of a channel shares. */
export interface GeminiTaskScope {
  readonly line: GeminiLine;
  readonly keepWarm: KeepWarm;
  readonly closing: AbortSignal;
  readonly monitor: ConnectionMonitor;
  readonly origin: Origin;
  readonly patience: AnswerPatience;
  readonly now: () => string;
  readonly createId: () => string;
}
