import type { JsonObject, TaskState } from "@dt/schema";
import { findLastPrompt } from "../last-prompt.js";
import { createSessionClaims } from "../session-claims.js";
import type {
  Commit,
  LogEvent,
  SessionRecord,
  SessionStore,
  StoredReceipt,
  StoredSession,
  StoredView,
  TaskRecord,
} from "../session-store.js";
import { buildTaskPage, decodePagePlace, type TaskQuery } from "../task-page.js";
import { createMemoryPushes } from "./memory-pushes.js";

interface KeptSession {
  readonly record: SessionRecord;
  readonly events: LogEvent[];
  readonly journal: JsonObject[];
  lastActiveAt: string;
}

/** A store that forgets everything with its process. */
export function openMemoryStore(): SessionStore {
  const sessions = new Map<string, KeptSession>();
  const tasks = new Map<string, TaskRecord>();
  const receipts = new Map<string, StoredReceipt>();
  const pushes = createMemoryPushes({
    checkOpen,
    lastSeqOf: (taskId) => tasks.get(taskId)?.lastSeq,
  });
  const views = new Map<string, StoredView>();
  const claims = createSessionClaims();
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new Error("the store is closed");
  }

  // All or nothing, as in every store.
  function check(commits: readonly Commit[]): void {
    const known = new Map<string, number>();
    for (const { contextId, session, events } of commits) {
      let seq = known.get(contextId) ?? sessions.get(contextId)?.events.length;
      if (session !== undefined && seq !== undefined) {
        throw new Error(`the session ${contextId} is there already`);
      }
      seq ??= session === undefined ? undefined : 0;
      if (seq === undefined) throw new Error(`there is no session ${contextId}`);
      for (const event of events) {
        seq += 1;
        if (event.seq !== seq) throw new Error(`the place ${event.seq} is not the next one`);
      }
      known.set(contextId, seq);
    }
  }

  function keep({ contextId, session, events, journal, receipt, push }: Commit): void {
    if (session !== undefined) {
      const lastActiveAt = session.createdAt;
      sessions.set(contextId, { record: session, events: [], journal: [], lastActiveAt });
    }
    const kept = sessions.get(contextId);
    if (kept === undefined) return;
    // One by one: a spread of very many would not fit on the stack.
    for (const logged of events) {
      kept.events.push(logged);
      if (logged.event.at > kept.lastActiveAt) kept.lastActiveAt = logged.event.at;
    }
    for (const record of journal) kept.journal.push(record);
    for (const [index, { seq, event }] of events.entries()) {
      const { taskId, state, at: updatedAt } = event;
      // Only where a task stands after all of it is worth a record.
      if (events[index + 1]?.event.taskId === taskId) continue;
      const { owner, createdAt: sessionCreatedAt } = kept.record;
      const lastSeq = seq;
      // Written out: copying it from parts takes as long as all the rest of a commit.
      tasks.set(taskId, { taskId, contextId, sessionCreatedAt, owner, state, lastSeq, updatedAt });
    }
    if (receipt !== undefined) receipts.set(receiptKey(receipt), receipt);
    if (push !== undefined) pushes.set(push);
  }

  function toStored(kept: KeptSession): StoredSession {
    const lastPrompt = findLastPrompt(kept.events);
    return {
      ...kept.record,
      lastSeq: kept.events.length,
      lastActiveAt: kept.lastActiveAt,
      ...(lastPrompt !== undefined && { lastPrompt }),
    };
  }

  return {
    async check() {
      checkOpen();
      return { damagedSessions: [] };
    },
    async commit(commits) {
      checkOpen();
      check(commits);
      for (const commit of commits) keep(commit);
    },
    async findSession(contextId) {
      checkOpen();
      const kept = sessions.get(contextId);
      return kept === undefined ? undefined : toStored(kept);
    },
    async claimSession(contextId) {
      checkOpen();
      return claims.claim(contextId);
    },
    async listSessions({ owner, workspacePath, limit }) {
      checkOpen();
      return [...sessions.values()]
        .map(toStored)
        .filter((stored) => stored.owner === owner && stored.lastPrompt !== undefined)
        .filter(
          ({ settings }) => settings.workspacePath === (workspacePath ?? settings.workspacePath),
        )
        .sort(byUse)
        .slice(0, limit);
    },
    async findTask(taskId) {
      checkOpen();
      return tasks.get(taskId);
    },
    async listTasks(query) {
      checkOpen();
      const fitting = [...tasks.values()].filter((task) => fits(task, query)).sort(byChange);
      const place = query.after === undefined ? undefined : decodePagePlace(query.after);
      const rest = place ? fitting.filter((task) => byChange(place, task) < 0) : fitting;
      return buildTaskPage(rest, { limit: query.limit, total: fitting.length });
    },
    async countTasks(owner) {
      checkOpen();
      const counted = [...tasks.values()].filter(
        (task) => owner === undefined || task.owner === owner,
      );
      return {
        active: counted.filter(({ state }) => isUnfinished(state)).length,
        total: counted.length,
      };
    },
    async findReceipt(user, messageId) {
      checkOpen();
      return receipts.get(receiptKey({ user, messageId }));
    },
    async readEvents({ contextId, after, limit, taskId, kinds }) {
      checkOpen();
      const events = sessions.get(contextId)?.events ?? [];
      // What it gives is no copy, so that its size costs nobody anything.
      if (taskId === undefined) return events.slice(after, after + limit);
      const page: LogEvent[] = [];
      for (let index = after; index < events.length && page.length < limit; index += 1) {
        const logged = events[index];
        if (logged?.event.taskId !== taskId) continue;
        if (logged.seq > (kinds?.upTo ?? logged.seq)) break;
        if (kinds === undefined || kinds.only.includes(logged.event.kind)) page.push(logged);
      }
      return page;
    },
    async findView(taskId) {
      checkOpen();
      return views.get(taskId);
    },
    async saveView(view) {
      checkOpen();
      views.set(view.taskId, view);
    },
    async readJournal(contextId) {
      checkOpen();
      return [...(sessions.get(contextId)?.journal ?? [])];
    },
    async listUnfinished() {
      checkOpen();
      return unfinishedContexts(tasks.values());
    },
    async listUntouched(since) {
      checkOpen();
      const running = new Set(unfinishedContexts(tasks.values()));
      return [...sessions]
        .filter(([contextId, kept]) => kept.lastActiveAt < since && !running.has(contextId))
        .map(([contextId]) => contextId);
    },
    async deleteSession(contextId) {
      checkOpen();
      sessions.delete(contextId);
      for (const task of tasks.values())
        if (task.contextId === contextId) tasks.delete(task.taskId);
      for (const [key, receipt] of receipts) {
        if (receipt.contextId === contextId) receipts.delete(key);
      }
      for (const view of views.values())
        if (view.contextId === contextId) views.delete(view.taskId);
      pushes.deleteSession(contextId);
    },
    ...pushes.store,
    async close() {
      isClosed = true;
    },
  };
}

function fits(task: TaskRecord, { owner, contextId, state, since }: TaskQuery): boolean {
  return (
    task.owner === owner &&
    (contextId === undefined || task.contextId === contextId) &&
    (state === undefined || task.state === state) &&
    (since === undefined || task.updatedAt >= since)
  );
}

// The one that changed last comes first; by id where they changed at once.
function byChange(
  left: Pick<TaskRecord, "updatedAt" | "taskId">,
  right: Pick<TaskRecord, "updatedAt" | "taskId">,
): number {
  if (left.updatedAt !== right.updatedAt) return left.updatedAt > right.updatedAt ? -1 : 1;
  if (left.taskId === right.taskId) return 0;
  return left.taskId > right.taskId ? -1 : 1;
}

// The one used last comes first; by id where they were used at once.
function byUse(left: StoredSession, right: StoredSession): number {
  const [one, other] = [left, right].map((each) => each.lastActiveAt + each.contextId);
  return (one ?? "") > (other ?? "") ? -1 : 1;
}

function unfinishedContexts(tasks: Iterable<TaskRecord>): string[] {
  const unfinished = [...tasks].filter((task) => isUnfinished(task.state));
  return [...new Set(unfinished.map((task) => task.contextId))];
}

function receiptKey({ user, messageId }: { user: string; messageId: string }): string {
  return JSON.stringify([user, messageId]);
}

function isUnfinished(state: TaskState): boolean {
  return state === "submitted" || state === "working";
}
