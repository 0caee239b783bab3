import { isProtocolError } from "@dt/schema";
import { isRetryable } from "../../errors/transport-error.js";
import { linkSignals } from "../../transport/abort-signals.js";
import { type ReconnectSchedule, reconnectDelay, sleep } from "../../transport/reconnect.js";
import type { ConnectionMonitor } from "../connection-monitor.js";

/** Retries requests of one client. */
export interface Attempts {
  /** Retries until success, an abort, an error that a retry cannot fix, or the last allowed attempt. */
  run<TResult>(
    tryOnce: (signal: AbortSignal, attempt: number) => Promise<TResult>,
    signal?: AbortSignal,
  ): Promise<TResult>;
  /**
   * Reports the next attempt to the monitor and pauses before it. Throws `reason` if no attempt may
   * follow.
   */
  pause(attempt: number, reason: unknown, signal: AbortSignal): Promise<void>;
  /** Reports that the agent was reached. */
  reached(): void;
  /** Aborts when the client closes. */
  readonly closing: AbortSignal;
}

/** Dependencies of {@link createAttempts}. */
export interface AttemptsOptions {
  readonly schedule: ReconnectSchedule;
  readonly closing: AbortSignal;
  readonly monitor: ConnectionMonitor;
}

/** Maximum number of attempts if an agent refuses a request again and again, for example because it is busy. */
const MAX_BUSY_ATTEMPTS = 6;
/** Longest pause that an agent can ask for. */
const MAX_RETRY_AFTER_MS = 120_000;

/** Creates the retry logic of one client. */
export function createAttempts({ schedule, closing, monitor }: AttemptsOptions): Attempts {
  const disconnect = (reason: unknown) => monitor.report({ status: "disconnected", reason });
  const attempts: Attempts = {
    closing,
    async run(tryOnce, signal) {
      const link = linkSignals(closing, signal);
      try {
        for (let attempt = 0; ; attempt += 1) {
          link.signal.throwIfAborted();
          try {
            const result = await tryOnce(link.signal, attempt);
            attempts.reached();
            return result;
          } catch (reason) {
            // If the agent stays busy, the caller gets its refusal.
            if (isProtocolError(reason) && attempt + 1 >= MAX_BUSY_ATTEMPTS) throw reason;
            await attempts.pause(attempt, reason, link.signal);
          }
        }
      } finally {
        link.release();
      }
    },
    async pause(attempt, reason, signal) {
      const { maxAttempts = Number.POSITIVE_INFINITY } = schedule;
      signal.throwIfAborted();
      if (!isRetryable(reason) || attempt + 1 >= maxAttempts) {
        // A refusal proves that the agent was reached.
        if (isProtocolError(reason)) attempts.reached();
        else if (isRetryable(reason) || monitor.state.status === "reconnecting") disconnect(reason);
        throw reason;
      }
      const delay = reconnectDelay(attempt, Math.random(), schedule);
      const retryInMs = Math.max(delay, readRetryAfter(reason));
      monitor.report({ status: "reconnecting", attempt: attempt + 1, retryInMs, reason });
      await sleep(retryInMs, signal);
      if (signal.aborted) disconnect(reason);
    },
    reached: () => monitor.report({ status: "connected" }),
  };
  return attempts;
}

/** Returns the pause that a refusal asks for; 0 if it asks for none. */
function readRetryAfter(reason: unknown): number {
  const ms = isProtocolError(reason) ? Number(reason.data?.retryAfterMs) : 0;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : 0;
}
