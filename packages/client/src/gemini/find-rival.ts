import {
  findGeminiRefusal,
  findGeminiRival,
  GEMINI_SPELLING,
  type GeminiRival,
  reachesGeminiQuestion,
} from "@dt/schema/gemini";
import type { GeminiLine } from "./gemini-line.js";

/** How much of the history is asked for: what is likely to do, then all. */
const HISTORY_LENGTHS = [50, 100_000];

/** Which answer may have been overtaken. */
export interface RivalSearch {
  readonly taskId: string;
  /** The message that brings our answers; it may not have been sent. */
  readonly messageId: string;
  /** Whether that message has been sent. */
  readonly isSent: boolean;
  readonly toolCallIds: readonly string[];
  /** Messages that are none of a rival. */
  readonly known: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** Who answered before us, as far as the peer tells: not knowing is no reason not to answer. */
export async function findRival(
  line: GeminiLine,
  search: RivalSearch,
): Promise<GeminiRival | undefined> {
  const { taskId: id, toolCallIds, signal } = search;
  for (const historyLength of HISTORY_LENGTHS) {
    try {
      const json = await line.call("tasks/get", { id, historyLength }, signal);
      const { history = [] } = GEMINI_SPELLING.decodeTask(json, "result");
      const rival = findGeminiRival(history, search) ?? findGeminiRefusal(history, search);
      const isWhole = history.length < historyLength;
      if (rival || isWhole || reachesGeminiQuestion(history, toolCallIds)) return rival;
    } catch {
      return undefined;
    }
  }
  return undefined;
}
