import { type Commit, type CommitOutcome, groupBySession, planCommits } from "../commit.js";
import { createLeaseBook } from "../lease-book.js";
import type { SessionStore } from "../session-store.js";
import { createMemoryAudit } from "./memory-audit.js";
import { createMemoryBudgets } from "./memory-budgets.js";
import { createMemoryGrants } from "./memory-grants.js";
import { createMemoryPushes } from "./memory-pushes.js";
import { createMemoryReader } from "./memory-reader.js";
import {
  applyCommit,
  createMemoryState,
  findHead,
  giveSessions,
  removeSession,
} from "./memory-state.js";
import { createMemoryTokens } from "./memory-tokens.js";

/** Opens a store in memory. Its content is lost when the process ends. */
export function openMemoryStore(): SessionStore {
  const state = createMemoryState();
  const leases = createLeaseBook();
  const pushes = createMemoryPushes({
    checkOpen,
    lastPositionOf: (taskId) => state.tasks.get(taskId)?.lastPosition,
  });
  const budgets = createMemoryBudgets(checkOpen);
  const grants = createMemoryGrants(checkOpen);
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new Error("the store is closed");
  }

  function write(commit: Commit): void {
    applyCommit(state, commit);
    if (commit.push !== undefined) pushes.set(commit.push);
  }

  return {
    async check() {
      checkOpen();
      return { damagedSessions: [] };
    },
    async commit(commits) {
      checkOpen();
      const outcomes = new Map<string, CommitOutcome>();
      const planned: Commit[] = [];
      // All commits are planned before the first is written, so that a refusal changes nothing.
      for (const [contextId, parts] of groupBySession(commits)) {
        const heldEpoch = leases.epochOf(contextId);
        const plan = planCommits(parts, { head: findHead(state, contextId), heldEpoch });
        outcomes.set(contextId, plan.type === "lost" ? "lost" : "stored");
        if (plan.type === "write") planned.push(...plan.commits);
      }
      for (const commit of planned) write(commit);
      return outcomes;
    },
    async acquire(contextId, options) {
      checkOpen();
      leases.check(contextId, options);
      const kept = state.sessions.get(contextId);
      const epoch = Math.max(kept?.epoch ?? 0, leases.epochOf(contextId) ?? 0) + 1;
      if (kept !== undefined) kept.epoch = epoch;
      return leases.open(contextId, epoch);
    },
    ...createMemoryReader(state, checkOpen),
    async saveView(view) {
      checkOpen();
      state.views.set(view.taskId, view);
    },
    async changeOwner(from, to) {
      checkOpen();
      return giveSessions(state, from, to);
    },
    async deleteSession(contextId) {
      checkOpen();
      removeSession(state, contextId);
      pushes.deleteSession(contextId);
      budgets.deleteSession(contextId);
      grants.deleteSession(contextId);
    },
    ...pushes.store,
    ...createMemoryTokens(checkOpen),
    ...budgets.store,
    ...grants.store,
    ...createMemoryAudit(state, checkOpen),
    async close() {
      isClosed = true;
    },
  };
}
