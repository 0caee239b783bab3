import type { Origin } from "@dt/schema";
import type { ConnectionMonitor } from "../task/connection-monitor.js";
import type { GeminiHttp } from "./gemini-http.js";
import type { KeepAlive } from "./keep-alive.js";

/** Timeouts of the peer's reply to an answer. The peer normally replies within milliseconds. */
export interface AnswerTimeouts {
  /**
   * Timeout for an answer with edited content. It is short, because version 0.25.2 of the peer never replies
   * to such an answer.
   */
  readonly editMs: number;
  readonly otherMs: number;
}

/** Dependencies that all tasks of a channel share. */
export interface GeminiTaskScope {
  readonly http: GeminiHttp;
  readonly keepAlive: KeepAlive;
  readonly closing: AbortSignal;
  readonly monitor: ConnectionMonitor;
  readonly origin: Origin;
  readonly answerTimeouts: AnswerTimeouts;
  readonly now: () => string;
  readonly createId: () => string;
}
