import { isProtocolError } from "@dt/schema";
import { hasCode } from "../../errors/has-code.js";
import { mayHeal } from "../../errors/transport-error.js";
import { linkSignals } from "../../transport/abort-signals.js";
import { type ReconnectSchedule, reconnectDelay, sleep } from "../../transport/reconnect.js";
import type { ConnectionMonitor } from "../connection-monitor.js";

/** How this client tries again. */
export interface Attempts {
  /** Tries until it works, the caller gives up, or the error is one that cannot heal. */
  run<TResult>(
    tryOnce: (signal: AbortSignal, attempt: number) => Promise<TResult>,
    signal?: AbortSignal,
  ): Promise<TResult>;
  /** Waits before the next try, and tells whoever shows the connection; throws where there is none. */
  pause(attempt: number, reason: unknown, signal: AbortSignal): Promise<void>;
  /** The agent was reached. */
  reached(): void;
  /** Aborts when the client closes. */
  readonly closing: AbortSignal;
}

/** What trying again is made of. */
export interface AttemptsOptions {
  readonly schedule: ReconnectSchedule;
  readonly closing: AbortSignal;
  readonly monitor: ConnectionMonitor;
}

/** How often an agent that is too busy is asked to take something. */
const MAX_BUSY_ATTEMPTS = 6;

/** Creates the one way in which everything is tried again. */
export function createAttempts({ schedule, closing, monitor }: AttemptsOptions): Attempts {
  const lose = (reason: unknown) => monitor.report({ status: "disconnected", reason });
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
            // A limit that does not give way soon is for the caller to know about.
            if (hasCode(reason, "agent-busy") && attempt + 1 >= MAX_BUSY_ATTEMPTS) throw reason;
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
      if (!mayHeal(reason) || attempt + 1 >= maxAttempts) {
        // Whoever refuses was reached.
        if (isProtocolError(reason)) attempts.reached();
        else if (mayHeal(reason) || monitor.state.status === "reconnecting") lose(reason);
        throw reason;
      }
      const retryInMs = reconnectDelay(attempt, Math.random(), schedule);
      monitor.report({ status: "reconnecting", attempt: attempt + 1, retryInMs, reason });
      await sleep(retryInMs, signal);
      if (signal.aborted) lose(reason);
    },
    reached: () => monitor.report({ status: "connected" }),
  };
  return attempts;
}
