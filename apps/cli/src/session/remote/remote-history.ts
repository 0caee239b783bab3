import type { AgentClient } from "@dt/client";
import { type SessionEvent, START_CURSOR } from "@dt/schema";

const PAGE_SIZE = 500;

/** Reads the past events of a conversation from its agent: the events of all tasks, in order. */
export async function* readRemoteHistory(
  client: AgentClient,
  lastTaskId: string,
  signal: AbortSignal,
): AsyncGenerator<readonly SessionEvent[], void, undefined> {
  const { contextId } = await client.openTask(lastTaskId, { signal });
  const taskIds: string[] = [];
  for await (const { taskId } of client.listTasks({ contextId, pageSize: 100, signal })) {
    taskIds.unshift(taskId);
  }
  const events: SessionEvent[] = [];
  // A handle also yields events of some earlier tasks. The task before the earliest of these tasks is opened
  // next.
  for (let taskId: string | undefined = lastTaskId; taskId !== undefined; ) {
    const found = await eventsUpToNow(client, taskId, signal);
    events.push(...found);
    const known = new Set(found.map((event) => event.taskId));
    taskId = taskIds[taskIds.findIndex((each) => known.has(each)) - 1];
  }
  // Turns never overlap, so the events of all tasks can be sorted by time.
  events.sort((one, other) => Number(one.at > other.at) - Number(one.at < other.at));
  for (let at = 0; at < events.length; at += PAGE_SIZE) yield events.slice(at, at + PAGE_SIZE);
}

async function eventsUpToNow(
  client: AgentClient,
  taskId: string,
  signal: AbortSignal,
): Promise<readonly SessionEvent[]> {
  const handle = await client.openTask(taskId, { signal });
  const last = handle.view().cursor;
  if (last === undefined) throw new Error("this agent does not offer past events");
  const events: SessionEvent[] = [];
  for await (const event of handle.events({ after: START_CURSOR, signal })) {
    if (event.cursor !== undefined) events.push(event);
    if (event.cursor === last) break;
  }
  return events;
}
