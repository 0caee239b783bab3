import type { Usage } from "@dt/schema";
import type { HistoryItem } from "../model/history.js";

/** How far a turn may go. What waits for a person does not count. */
export interface TurnLimits {
  /** Answers of the model. */
  readonly maxSteps: number;
  /** Time that the model and the tools may take together, in milliseconds. */
  readonly maxWorkMs: number;
  /** Tokens in and out. */
  readonly maxTokens: number;
  /** How often the model may ask for the very same calls in a row. */
  readonly maxRepeats: number;
}

/** Generous: they stop what has gone astray, not what is long. */
export const defaultTurnLimits: TurnLimits = {
  maxSteps: 200,
  maxWorkMs: 4 * 60 * 60 * 1000,
  maxTokens: 20_000_000,
  maxRepeats: 5,
};

/** How far a turn has gone. */
export interface TurnProgress {
  readonly steps: number;
  readonly workMs: number;
  readonly usage: Usage | undefined;
  readonly history: readonly HistoryItem[];
}

/** Why a turn must stop before its next step, in one sentence; undefined where it may go on. Pure. */
export function findLimit(progress: TurnProgress, limits: TurnLimits): string | undefined {
  const { steps, workMs, usage, history } = progress;
  const tokens =
    usage === undefined ? 0 : usage.inputTokens + usage.outputTokens + usage.thoughtTokens;
  if (steps >= limits.maxSteps) return `the turn was stopped after ${steps} steps, its limit`;
  if (workMs >= limits.maxWorkMs) {
    return `the turn was stopped after ${Math.round(workMs / 1000)} s of work, its limit`;
  }
  if (tokens >= limits.maxTokens) return `the turn was stopped after ${tokens} tokens, its limit`;
  const repeats = countRepeats(history);
  if (repeats >= limits.maxRepeats) {
    return `the turn was stopped: the model asked for the same calls ${repeats} times in a row`;
  }
  return undefined;
}

/** How often the model's last answer, the calls in it, came in a row; answers without calls are none. */
function countRepeats(history: readonly HistoryItem[]): number {
  let repeated: string | undefined;
  let count = 0;
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const item = history[index];
    if (item === undefined || item.role === "user") break;
    if (item.role === "tool") continue;
    const calls = callsOf(item);
    if (calls === "[]" || (repeated !== undefined && calls !== repeated)) break;
    repeated = calls;
    count += 1;
  }
  return count;
}

function callsOf({ parts }: HistoryItem & { role: "model" }): string {
  return JSON.stringify(
    parts.flatMap((part) =>
      part.type === "tool-request" ? [[part.request.toolName, part.request.input]] : [],
    ),
  );
}
