import { byUse } from "../memory/memory-reader.js";
import type { EventQuery, LogEvent, SessionStore } from "../session-store.js";
import { type ObjectBucket, ObjectGone } from "./bucket/object-bucket.js";
import { encodeId, sessionFolder } from "./bucket/object-names.js";
import { readAllAudit } from "./gcs-audit.js";
import { toBucketStoreFault } from "./log/taken-over.js";
import type { LoadedState } from "./saved-index/load-state.js";
import type { IndexedSession } from "./state/gcs-state.js";
import { createSessionContent } from "./state/read-session.js";

/** The methods of the store that read. */
export type GcsReader = Pick<
  SessionStore,
  | "findSession"
  | "listSessions"
  | "findTask"
  | "listTasks"
  | "countTasks"
  | "findReceipt"
  | "readEvents"
  | "findView"
  | "readJournal"
  | "listUnfinished"
  | "listUntouched"
  | "listPushes"
  | "countWaitingPushes"
  | "readBudgets"
  | "findGrant"
  | "findGrants"
  | "hadGrant"
  | "listGrants"
  | "listGrantsOf"
  | "readAudit"
  | "listActive"
>;

/** Options of {@link createGcsReader}. */
export interface GcsReaderOptions {
  readonly bucket: ObjectBucket;
  /** Resolves with the index. Rejects if the store is closed, or no longer owns the bucket. */
  index(): Promise<Pick<LoadedState, "state" | "stores">>;
  /**
   * Makes the next call of `index` load the index again. Does nothing in the process that owns the bucket.
   */
  reload(): void;
  /** Records a fault before it is thrown. */
  noteFault(error: unknown): void;
}

/** Maximum number of times that a read is repeated because a new index has replaced its objects. */
const MAX_REPEATS = 3;

/**
 * Creates the reading methods. With a loaded index, only the methods that read events, journals, views or the audit
 * send requests.
 */
export function createGcsReader(options: GcsReaderOptions): GcsReader {
  const { bucket, index, reload, noteFault } = options;
  const content = createSessionContent(bucket);

  async function read<TResult>(
    work: (index: Pick<LoadedState, "state" | "stores">) => Promise<TResult> | TResult,
  ): Promise<TResult> {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await work(await index());
      } catch (error) {
        const fault = toBucketStoreFault(error);
        if (error instanceof ObjectGone && repeats < MAX_REPEATS) reload();
        else {
          noteFault(fault);
          throw fault;
        }
      }
    }
  }

  return {
    findSession: (contextId) =>
      read(({ state }) => {
        const session = state.tables.sessions.get(contextId);
        return session && toStoredSession(session);
      }),
    listSessions: ({ owner, workspacePath, limit }) =>
      read(({ state }) =>
        [...state.tables.sessions.values()]
          .filter((session) => session.owner === owner && session.lastPrompt !== undefined)
          .filter(
            ({ settings }) => settings.workspacePath === (workspacePath ?? settings.workspacePath),
          )
          .sort(byUse)
          .slice(0, limit)
          .map(toStoredSession),
      ),
    listUntouched: (since) =>
      read(async ({ state, stores }) => {
        const running = new Set(await stores.listUnfinished());
        return [...state.tables.sessions]
          .filter(
            ([contextId, { lastActiveAt }]) => lastActiveAt < since && !running.has(contextId),
          )
          .map(([contextId]) => contextId);
      }),
    readEvents: (query: EventQuery): Promise<readonly LogEvent[]> =>
      read(({ state }) => content.readEvents(state, query)),
    readJournal: (contextId) => read(({ state }) => content.readJournal(state, contextId)),
    findView: (taskId) =>
      read(async ({ state }) => {
        const contextId = state.tables.tasks.get(taskId)?.contextId;
        if (contextId === undefined) return undefined;
        const body = await bucket.read(viewName(contextId, taskId));
        return body === undefined ? undefined : JSON.parse(body.toString());
      }),
    findTask: (taskId) => read(({ stores }) => stores.findTask(taskId)),
    listTasks: (query) => read(({ stores }) => stores.listTasks(query)),
    countTasks: (owner) => read(({ stores }) => stores.countTasks(owner)),
    findReceipt: (user, id) => read(({ stores }) => stores.findReceipt(user, id)),
    listUnfinished: () => read(({ stores }) => stores.listUnfinished()),
    listPushes: (taskId) => read(({ stores }) => stores.listPushes(taskId)),
    countWaitingPushes: (scope) => read(({ stores }) => stores.countWaitingPushes(scope)),
    readBudgets: (accounts) => read(({ stores }) => stores.readBudgets(accounts)),
    findGrant: (id) => read(({ stores }) => stores.findGrant(id)),
    findGrants: (keys, at) => read(({ stores }) => stores.findGrants(keys, at)),
    hadGrant: (key) => read(({ stores }) => stores.hadGrant(key)),
    listGrants: (contextId, at) => read(({ stores }) => stores.listGrants(contextId, at)),
    listGrantsOf: (user, at) => read(({ stores }) => stores.listGrantsOf(user, at)),
    readAudit: (query) =>
      read(async ({ stores }) => {
        const indexed = await stores.readAudit({ since: "", limit: Number.MAX_SAFE_INTEGER });
        return await readAllAudit(bucket, indexed, query);
      }),
    listActive: (since) => read(({ stores }) => stores.listActive(since)),
  };
}

/** Returns the name of the object with the saved view of a task. */
export function viewName(contextId: string, taskId: string): string {
  return `${sessionFolder(contextId)}views/${encodeId(taskId)}.json`;
}

/** Returns the session without the field that only this driver uses. */
function toStoredSession({ segments: _, ...stored }: IndexedSession) {
  return stored;
}
