import type { Caller } from "@dt/schema";
import type { SessionRecord, SessionStore } from "../store/session-store.js";
import type { SessionHost } from "./session-host.js";

/** Number of tasks whose queues are searched: the tasks that changed last. */
const MAX_TASKS = 20;

/** Withdraws the waiting prompts of a user who has lost access to a session. */
export async function withdrawPrompts(
  user: string,
  host: SessionHost,
  store: Pick<SessionStore, "listTasks">,
): Promise<void> {
  const { contextId, owner } = host.session;
  const { tasks } = await store.listTasks({ owner, contextId, limit: MAX_TASKS });
  const views = await Promise.all(tasks.map(({ taskId }) => host.log.view(taskId)));
  const waiting = views
    .flatMap(({ queue }) => queue)
    .filter(({ origin }) => origin?.principal === user);
  // An older queue may name a prompt whose turn has begun. The agent does not withdraw such a prompt.
  for (const messageId of new Set(waiting.map((prompt) => prompt.messageId)))
    await host.agent.withdraw(messageId, toOwner(host.session));
}

/** Returns the owner of a session as the caller of requests that the server itself sends. */
export function toOwner({ owner }: Pick<SessionRecord, "owner">): Caller {
  return { user: owner, name: owner, role: "admin" };
}
