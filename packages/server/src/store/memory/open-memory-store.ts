import type { JsonObject, TaskState } from "@dt/schema";
import type {
  LogEvent,
  SessionRecord,
  SessionStore,
  StoredReceipt,
  TaskRecord,
} from "../session-store.js";

interface StoredSession {
  readonly record: SessionRecord;
  readonly events: LogEvent[];
  readonly journal: JsonObject[];
}

/** A store that forgets everything with its process. */
export function openMemoryStore(): SessionStore {
  const sessions = new Map<string, StoredSession>();
  const tasks = new Map<string, TaskRecord>();
  const receipts = new Map<string, StoredReceipt>();

  return {
    async commit(commits) {
      for (const { contextId, session, events, journal, receipt } of commits) {
        if (session !== undefined) {
          sessions.set(contextId, { record: session, events: [], journal: [] });
        }
        const stored = sessions.get(contextId);
        if (stored === undefined) throw new Error(`there is no session ${contextId}`);
        stored.events.push(...events);
        stored.journal.push(...journal);
        for (const { seq, event } of events) {
          const { taskId, state } = event;
          const { owner } = stored.record;
          tasks.set(taskId, { taskId, contextId, owner, state, lastSeq: seq });
        }
        if (receipt !== undefined)
          receipts.set(receiptKey(receipt.principal, receipt.messageId), receipt);
      }
    },
    async findSession(contextId) {
      const stored = sessions.get(contextId);
      return stored && { ...stored.record, lastSeq: stored.events.length };
    },
    findTask: async (taskId) => tasks.get(taskId),
    findReceipt: async (principal, messageId) => receipts.get(receiptKey(principal, messageId)),
    async readEvents({ contextId, after, limit, taskId }) {
      const events = sessions.get(contextId)?.events ?? [];
      if (taskId === undefined) return events.slice(after, after + limit);
      return events
        .filter(({ seq, event }) => seq > after && event.taskId === taskId)
        .slice(0, limit);
    },
    readJournal: async (contextId) => [...(sessions.get(contextId)?.journal ?? [])],
    async listUnfinished() {
      const unfinished = [...tasks.values()].filter((task) => isUnfinished(task.state));
      return [...new Set(unfinished.map((task) => task.contextId))];
    },
    close: async () => {},
  };
}

function receiptKey(principal: string, messageId: string): string {
  return JSON.stringify([principal, messageId]);
}

function isUnfinished(state: TaskState): boolean {
  return state === "submitted" || state === "working";
}
