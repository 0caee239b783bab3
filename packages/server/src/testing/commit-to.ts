import type { Commit, CommitOutcomes } from "../store/commit.js";
import type { Lease } from "../store/lease.js";
import type { LogEvent, SessionStore } from "../store/session-store.js";

/** A commit without its epoch, number and expected head. */
export interface CommitDraft extends Omit<Commit, "epoch" | "number" | "expectedHead" | "events"> {
  readonly events: readonly Omit<LogEvent, "epoch">[];
}

const LEASES = new WeakMap<SessionStore, Map<string, Promise<Lease>>>();

/**
 * Commits drafts to a store as the owner of their sessions. It acquires each session once, and continues the numbers
 * of the stored commits. Rejects if the store rejects.
 */
export async function commitTo(
  store: SessionStore,
  drafts: readonly CommitDraft[],
): Promise<CommitOutcomes> {
  const heads = new Map<string, { number: number; position: number }>();
  const commits: Commit[] = [];
  for (const draft of drafts) {
    const { contextId } = draft;
    const { epoch } = await leaseOn(store, contextId);
    const stored = heads.has(contextId) ? undefined : await store.findSession(contextId);
    const { commitNumber = 0, lastPosition = 0 } = stored ?? {};
    const head = heads.get(contextId) ?? { number: commitNumber, position: lastPosition };
    const events = draft.events.map((logged) => ({ ...logged, epoch }));
    const expectedHead = (events[0]?.position ?? head.position + 1) - 1;
    const number = head.number + 1;
    commits.push({ ...draft, epoch, number, expectedHead, events });
    heads.set(contextId, { number, position: expectedHead + events.length });
  }
  return await store.commit(commits);
}

function leaseOn(store: SessionStore, contextId: string): Promise<Lease> {
  const held = LEASES.get(store) ?? new Map<string, Promise<Lease>>();
  LEASES.set(store, held);
  const lease = held.get(contextId) ?? store.acquire(contextId);
  held.set(contextId, lease);
  return lease;
}
