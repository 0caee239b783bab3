import { MAX_VIEW_ITEMS, type TaskView } from "@dt/schema";
import { hasCode } from "../errors/has-code.js";
import { continueView } from "./conversation-trail.js";
import type { Conversation } from "./requests.js";
import { listTasks } from "./task-list.js";

/** How many tasks are asked for at a time, and how often until one that is known is among them. */
const PAGE_SIZE = 20;
const MAX_PAGES = 50;

/** The last tasks of a session as they stand, without what was said; in order, from a known one on. */
export async function lastTasks(
  conversation: Conversation,
  contextId: string,
  isKnown: (task: TaskView) => boolean,
  signal?: AbortSignal,
): Promise<readonly TaskView[]> {
  return await tasksUntil(
    conversation,
    { contextId, signal, historyLength: 0 },
    (tasks) => tasks.some(isKnown) || tasks.length >= PAGE_SIZE * MAX_PAGES,
  );
}

/**
 * The tasks of a session in order, with what was said: as many of the last ones as a view has room for.
 * Empty where the agent keeps no list.
 */
export async function sessionTasks(
  conversation: Conversation,
  contextId: string,
  signal?: AbortSignal,
): Promise<readonly TaskView[]> {
  const options = { contextId, signal, historyLength: MAX_VIEW_ITEMS };
  return await tasksUntil(conversation, options, (tasks) => {
    const count = tasks.reduce((sum, { items }) => sum + items.length, 0);
    return count >= MAX_VIEW_ITEMS;
  });
}

/** What was said in tasks that followed one another. */
export function joinTasks(earlier: readonly TaskView[], last: TaskView): TaskView {
  return [...earlier, last].reduce(continueView);
}

async function tasksUntil(
  conversation: Conversation,
  options: { contextId: string; signal: AbortSignal | undefined; historyLength: number },
  isEnough: (tasks: readonly TaskView[]) => boolean,
): Promise<readonly TaskView[]> {
  const { signal, ...filter } = options;
  const list = { ...filter, pageSize: PAGE_SIZE, ...(signal !== undefined && { signal }) };
  const found: TaskView[] = [];
  try {
    for await (const { tasks } of listTasks(conversation, list).pages()) {
      found.push(...tasks);
      if (isEnough(found)) break;
    }
  } catch (reason) {
    const hasNoList =
      hasCode(reason, "unsupported-operation") || hasCode(reason, "method-not-found");
    if (!hasNoList) throw reason;
  }
  // The one that changed last came first; one that still waits for its turn comes after all.
  const isWaiting = ({ state }: TaskView) => Number(state === "submitted");
  return found.reverse().sort((one, other) => isWaiting(one) - isWaiting(other));
}
