import type { StampedEvent } from "@dt/schema";
import { openSqliteStore, type SessionStore } from "@dt/server";
import { commitTo } from "@dt/server/testing";

const SESSIONS = 6;
const EVENTS = 30;
const OWNER = "alice";

/** Fills a store with sessions of known content. */
export async function fillStore(file: string): Promise<void> {
  const store = openSqliteStore({ file });
  for (let number = 0; number < SESSIONS; number += 1) {
    const contextId = `context-${number}`;
    const taskId = `task-${number}`;
    const events = Array.from({ length: EVENTS }, (_, index) => ({
      position: index + 1,
      event: toEvent(taskId, index),
    }));
    await commitTo(store, [
      {
        contextId,
        session: {
          contextId,
          owner: OWNER,
          settings: { workspacePath: `/work/${number}`, allowedTools: [], mcpServers: {} },
          createdAt: "2026-01-01T00:00:00.000Z",
        },
        events,
        journal: events.map(({ position }) => ({
          type: "step",
          position,
          note: `journal ${position}`,
        })),
        receipt: {
          user: OWNER,
          messageId: `m-${number}`,
          contextId,
          taskId,
          turn: 1,
          afterPosition: 0,
          digest: `digest of ${taskId}`,
        },
        isCritical: false,
      },
    ]);
  }
  await store.close();
}

function toEvent(taskId: string, index: number): StampedEvent {
  const common = { taskId, turn: 1, state: "working", at: "2026-01-01T00:00:01.000Z" } as const;
  if (index === 0) {
    const parts = [{ type: "text" as const, text: `prompt of ${taskId}` }];
    const origin = { principal: OWNER, name: OWNER };
    return { ...common, kind: "USER_PROMPT", messageId: `m-${taskId}`, parts, origin };
  }
  return { ...common, kind: "TEXT_CONTENT", text: `text ${index} of ${taskId} ☃ `.repeat(3) };
}

/**
 * The result of each read: JSON, or an error. The key of a result contains the session and the name of the
 * read.
 */
export type Served = Readonly<Record<string, string>>;

/** Reads every session of a store. */
export async function serveAll(store: SessionStore): Promise<Served> {
  const served: Record<string, string> = {};
  for (let number = 0; number < SESSIONS; number += 1) {
    const contextId = `context-${number}`;
    const taskId = `task-${number}`;
    const reads = {
      session: () => store.findSession(contextId),
      task: () => store.findTask(taskId),
      events: () => store.readEvents({ contextId, after: 0, limit: 10 * EVENTS }),
      end: () => store.readEvents({ contextId, after: EVENTS, limit: 1 }),
      taskEvents: () => store.readEvents({ contextId, taskId, after: 0, limit: 10 * EVENTS }),
      tasks: () => store.listTasks({ owner: OWNER, contextId, limit: 9 }),
      journal: () => store.readJournal(contextId),
      receipt: () => store.findReceipt(OWNER, `m-${number}`),
    };
    for (const [name, read] of Object.entries(reads)) {
      served[`${contextId} ${name}`] = await read().then(
        (value) => JSON.stringify(value) ?? "undefined",
        (error: Error) => `error: ${error.message}`,
      );
    }
  }
  return served;
}
