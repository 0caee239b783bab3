import { type RetrySchedule, retryDelayMs } from "../model/retry/retry-schedule.js";
import type { McpFailure } from "./mcp-failure.js";

/** The end of one connection to a server. */
export interface EndedConnection {
  readonly failure: McpFailure;
  /** Duration of the connection; 0 if the server never connected. */
  readonly connectedMs: number;
}

/** The decision after a connection has ended: to connect again after a delay, or to give up. */
export type Reconnect =
  | {
      readonly type: "retry";
      readonly delayMs: number;
      /** Number of the attempt that follows, counted from 1. */
      readonly nextAttempt: number;
      readonly error: string;
    }
  | { readonly type: "give-up"; readonly error: string };

/** Attempts so far, and the rules for the next attempt. */
export interface ReconnectRules {
  /** Number of the attempt that ended, counted from 1. */
  readonly attempt: number;
  readonly schedule: RetrySchedule;
  /** A random number from 0 up to 1. */
  readonly random: number;
}

/** A server that was connected this long gets all attempts again, because it is not in a crash loop. */
const STABLE_MS = 60_000;

/** Decides whether and when to connect again. Pure. */
export function planReconnect(
  { failure, connectedMs }: EndedConnection,
  rules: ReconnectRules,
): Reconnect {
  const { schedule, random } = rules;
  const attempt = connectedMs >= STABLE_MS ? 1 : rules.attempt;
  const delayMs = failure.isFinal ? undefined : retryDelayMs({ attempt, random }, schedule);
  if (delayMs !== undefined) {
    return { type: "retry", delayMs, nextAttempt: attempt + 1, error: failure.message };
  }
  const attempts = attempt === 1 ? "" : `; given up after ${attempt} attempts`;
  return { type: "give-up", error: `${failure.message}${attempts}` };
}
