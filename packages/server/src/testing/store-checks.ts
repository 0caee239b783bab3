import type { StampedEvent } from "@dt/schema";
import type { SessionRecord, SessionStore } from "../store/session-store.js";
import type { TaskQuery } from "../store/task-page.js";
import type { CommitDraft } from "./commit-to.js";

/** One promise of every store: a name, and a check that throws if the store breaks the promise. */
export interface StorePromise {
  readonly name: string;
  check(store: SessionStore): Promise<void>;
}

/** Time of all events for which a check sets no other time. */
export const STARTED_AT = "2026-01-01T00:00:01.000Z";

/** The session of most checks. */
export const session: SessionRecord = {
  contextId: "context",
  owner: "alice",
  settings: { workspacePath: "/work", allowedTools: [], mcpServers: {} },
  createdAt: "2026-01-01T00:00:00.000Z",
};

/** Creates the event that {@link session} has at a position. */
export function event(position: number): StampedEvent {
  return {
    kind: "TEXT_CONTENT",
    text: `text ${position} \u2603 "quoted"`,
    taskId: "task",
    turn: 1,
    state: "working",
    at: STARTED_AT,
  };
}

/** Creates the first commit of another session. The one task of that session changes in the given second. */
export function taskAt(
  second: number,
  about: Partial<StampedEvent> & { owner?: string } = {},
): CommitDraft {
  const { owner = "alice", ...overrides } = about;
  const contextId = `context-${second}`;
  const changedAt = `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`;
  const changed = { ...event(1), taskId: `task-${second}`, at: changedAt, ...overrides };
  return {
    ...next([]),
    contextId,
    session: { ...session, contextId, owner },
    events: [{ position: 1, event: changed as StampedEvent }],
  };
}

/** Returns the ids of listed tasks. */
export async function taskIds(store: SessionStore, query: Partial<TaskQuery>): Promise<string[]> {
  const { tasks } = await store.listTasks({ owner: "alice", limit: 9, ...query });
  return tasks.map(({ taskId }) => taskId);
}

/** Throws unless the work rejects. */
export async function rejects(work: Promise<unknown>): Promise<void> {
  const outcome = await work.then(
    () => "resolved",
    () => "rejected",
  );
  equal(outcome, "rejected");
}

/** Returns a position and the event that {@link session} has there. */
export function logged(position: number) {
  return { position, event: event(position) };
}

/** Creates the first commit of {@link session}, which also creates the session. */
export function first(positions: readonly number[]): CommitDraft {
  return { ...next(positions), session };
}

/** Creates a commit of {@link session} that is not its first. */
export function next(positions: readonly number[]): CommitDraft {
  return { contextId: "context", events: positions.map(logged), journal: [], isCritical: false };
}

/** Throws unless two values are deeply equal. */
export function equal(actual: unknown, expected: unknown): void {
  const [left, right] = [stable(actual), stable(expected)];
  if (left !== right) throw new Error(`expected ${right}, got ${left}`);
}

// Encodes a value with sorted keys, because the order of keys does not matter.
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([left], [right]) => (left < right ? -1 : 1)))
      : item,
  );
}

/** Creates the event of a prompt to {@link session}. */
export function promptEvent(text: string): StampedEvent {
  return {
    kind: "USER_PROMPT",
    messageId: text,
    parts: [{ type: "text", text }],
    origin: { principal: "alice", name: "alice" },
    taskId: "task",
    turn: 1,
    state: "submitted",
    at: STARTED_AT,
  };
}
