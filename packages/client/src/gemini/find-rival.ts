import {
  findGeminiRefusal,
  findGeminiRival,
  GEMINI_SPELLING,
  type GeminiRival,
  reachesGeminiQuestion,
} from "@dt/schema/gemini";
import type { GeminiHttp } from "./gemini-http.js";

/** Numbers of messages to request: first the last 50, which are usually enough, then all. */
const HISTORY_LENGTHS = [50, 100_000];

/** Parameters of a search for another client's earlier answer. */
export interface RivalSearch {
  readonly taskId: string;
  /** Id of the message with our answers; the message may not have been sent yet. */
  readonly messageId: string;
  /** True if the message `messageId` was sent. */
  readonly isSent: boolean;
  readonly toolCallIds: readonly string[];
  /**
   * Ids of messages that cannot contain the rival: the messages in the task when this client opened it,
   * messages of this client, and messages of rivals that are known already.
   */
  readonly known: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/**
 * Finds another client's answer that comes before ours in the peer's history. Returns undefined if there is
 * none. Also returns undefined if the history cannot be read, so that our answer is still sent.
 */
export async function findRival(
  http: GeminiHttp,
  search: RivalSearch,
): Promise<GeminiRival | undefined> {
  const { taskId: id, toolCallIds, signal } = search;
  for (const historyLength of HISTORY_LENGTHS) {
    try {
      const json = await http.call("tasks/get", { id, historyLength }, signal);
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
