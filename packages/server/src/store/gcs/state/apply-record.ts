import { createMemoryAudit } from "../../memory/memory-audit.js";
import { createMemoryBudgets } from "../../memory/memory-budgets.js";
import { createMemoryGrants } from "../../memory/memory-grants.js";
import { createMemoryPushes } from "../../memory/memory-pushes.js";
import { createTaskQueries, type TaskQueries } from "../../memory/task-queries.js";
import type { SessionStore } from "../../session-store.js";
import type { LoggedMethod, StoreRecord } from "../log/store-record.js";
import { applyToIndex, type GcsState, giveIndexed, removeFromIndex } from "./gcs-state.js";

/** The stores that work on the index in memory. */
export interface IndexedStores
  extends TaskQueries,
    Pick<
      SessionStore,
      | LoggedMethod
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
    > {
  /** Applies a record of the log. Resolves with the result of a call. */
  apply(record: StoreRecord): Promise<unknown>;
}

/** Creates the stores of an index. Their methods change the index before they return their promise. */
export function createIndexedStores(state: GcsState): IndexedStores {
  const { tables } = state;
  const checkOpen = () => {};
  const pushes = createMemoryPushes({
    checkOpen,
    lastPositionOf: (taskId) => tables.tasks.get(taskId)?.lastPosition,
    tasks: tables.pushes,
  });
  const budgets = createMemoryBudgets(checkOpen, tables);
  const grants = createMemoryGrants(checkOpen, tables.grants);
  const stores = {
    ...createTaskQueries(tables, checkOpen),
    ...pushes.store,
    ...budgets.store,
    ...grants.store,
    ...createMemoryAudit(tables, checkOpen, tables.audit),
    async changeOwner(from: string, to: string) {
      return giveIndexed(state, from, to);
    },
    async deleteSession(contextId: string) {
      removeFromIndex(state, contextId);
      pushes.deleteSession(contextId);
      budgets.deleteSession(contextId);
      grants.deleteSession(contextId);
    },
  };
  return {
    ...stores,
    async apply(record) {
      if ("call" in record) {
        // The cast is safe, because a record has the arguments of the method that it names.
        const method = stores[record.call] as (...args: readonly unknown[]) => Promise<unknown>;
        return await method(...record.args);
      }
      applyToIndex(state, record.commit);
      if (record.commit.push !== undefined) pushes.set(record.commit.push);
      return undefined;
    },
  };
}
