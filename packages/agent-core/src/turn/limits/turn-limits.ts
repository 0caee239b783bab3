import type { Usage } from "@dt/schema";
import type { HistoryItem } from "../../model/history.js";
import { SETTINGS_DEFAULTS } from "../../settings/settings-defaults.js";

/** Limits of a turn. Time spent waiting for a person is not limited. */
export interface TurnLimits {
  /** Maximum number of model replies. */
  readonly maxSteps: number;
  /** Maximum working time of the model and the tools together, in milliseconds. */
  readonly maxWorkMs: number;
  /** Maximum number of input, output and thought tokens together. */
  readonly maxTokens: number;
  /** Maximum number of times in a row that the model requests the same calls. */
  readonly maxRepeats: number;
}

/** The default limits. They are high enough for long turns and stop turns that would never end. */
export const DEFAULT_TURN_LIMITS: TurnLimits = SETTINGS_DEFAULTS.limits;

/** Progress of a turn. */
export interface TurnProgress {
  readonly steps: number;
  readonly workMs: number;
  readonly usage: Usage | undefined;
  readonly history: readonly HistoryItem[];
}

/**
 * Returns the reason why a turn must stop before its next step; undefined if it may continue. Pure.
 */
export function findLimit(progress: TurnProgress, limits: TurnLimits): string | undefined {
  const { steps, workMs, usage, history } = progress;
  const tokens =
    usage === undefined ? 0 : usage.inputTokens + usage.outputTokens + usage.thoughtTokens;
  if (steps >= limits.maxSteps) return describeLimit(`${limits.maxSteps} steps`);
  if (workMs >= limits.maxWorkMs) return describeLimit(`${limits.maxWorkMs / 1000} s of work`);
  if (tokens >= limits.maxTokens) return describeLimit(`${limits.maxTokens} tokens`);
  if (hasCycle(history, steps, limits.maxRepeats)) {
    return `the turn was stopped because the model asked for the same calls ${limits.maxRepeats} times in a row`;
  }
  return undefined;
}

function describeLimit(limit: string): string {
  return `the turn was stopped because it reached its limit of ${limit}`;
}

/** Maximum number of steps in a detected cycle. The steps A, B, C, A, B, C are a cycle of three. */
const MAX_CYCLE_STEPS = 3;

/** True if the last replies of this turn repeat the same short sequence of calls. */
function hasCycle(history: readonly HistoryItem[], steps: number, times: number): boolean {
  const replies = lastCalls(history, Math.min(steps, MAX_CYCLE_STEPS * times));
  for (let length = 1; length <= MAX_CYCLE_STEPS; length += 1) {
    const recent = replies.slice(0, length * times);
    if (recent.length < length * times || recent.includes("[]")) continue;
    if (recent.every((calls, index) => calls === recent[index % length])) return true;
  }
  return false;
}

/** Returns the calls of the model's last replies, newest first. */
function lastCalls(history: readonly HistoryItem[], count: number): readonly string[] {
  const replies: string[] = [];
  for (let index = history.length - 1; index >= 0 && replies.length < count; index -= 1) {
    const item = history[index];
    if (item === undefined || item.role === "user") break;
    if (item.role === "model") replies.push(callsOf(item));
  }
  return replies;
}

function callsOf({ parts }: HistoryItem & { role: "model" }): string {
  return JSON.stringify(
    parts.flatMap((part) =>
      part.type === "tool-request" ? [[part.request.toolName, part.request.input]] : [],
    ),
  );
}
