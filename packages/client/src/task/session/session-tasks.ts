import { MAX_VIEW_ITEMS, type TaskView } from "@dt/schema";
import { hasCode } from "../../errors/has-code.js";
import type { Conversation } from "../channel/requests.js";
import { listTasks } from "../task-list.js";

/** Number of tasks per request. */
const PAGE_SIZE = 20;

/**
 * Lists the last tasks of a session, oldest first, until their items fill a view. Returns nothing
 * if the agent cannot list tasks.
 */
export async function sessionTasks(
  conversation: Conversation,
  contextId: string,
  signal?: AbortSignal,
): Promise<readonly TaskView[]> {
  const options = { contextId, historyLength: MAX_VIEW_ITEMS, pageSize: PAGE_SIZE };
  const list = listTasks(conversation, { ...options, ...(signal !== undefined && { signal }) });
  const found: TaskView[] = [];
  try {
    for await (const { tasks } of list.pages()) {
      found.push(...tasks);
      const count = found.reduce((sum, { items }) => sum + items.length, 0);
      if (count >= MAX_VIEW_ITEMS) break;
    }
  } catch (reason) {
    const hasNoList =
      hasCode(reason, "unsupported-operation") || hasCode(reason, "method-not-found");
    if (!hasNoList) throw reason;
  }
  // The agent lists the most recently changed task first.
  return found.reverse();
}
