import type { Commit } from "../store/commit.js";
import type { Lease } from "../store/lease.js";
import type { SessionStore } from "../store/session-store.js";
import { equal, event, rejects, type StorePromise, session } from "./store-checks.js";

/** Promises of every store about leases. Only the holder of a lease can commit. */
export const leaseContract: readonly StorePromise[] = [
  {
    name: "only one holder at a time can acquire a session",
    async check(store) {
      const lease = await store.acquire("context");
      const other = await store.acquire("other");
      await rejects(store.acquire("context"));
      await lease.release();
      await lease.release();
      const again = await store.acquire("context");
      await rejects(store.acquire("context"));
      equal([lease.lost.aborted, again.lost.aborted], [false, false]);
      await again.release();
      await other.release();
    },
  },
  {
    name: "each new lease of a stored session has a higher epoch, which is stored with its commits",
    async check(store) {
      const first = await store.acquire("context");
      equal(outcomeOf(await store.commit([create(first)])), "stored");
      await first.release();
      const second = await store.acquire("context");
      equal(second.epoch > first.epoch, true);
      equal(outcomeOf(await store.commit([append(second, 2)])), "stored");
      const events = await store.readEvents({ contextId: "context", after: 0, limit: 9 });
      equal(
        events.map(({ epoch }) => epoch),
        [first.epoch, second.epoch],
      );
      const stored = await store.findSession("context");
      equal([stored?.epoch, stored?.commitNumber], [second.epoch, 2]);
      equal((await store.findTask("task"))?.epoch, second.epoch);
      await second.release();
    },
  },
  {
    name: "a lease that is taken over is lost, and its commits write nothing",
    async check(store) {
      const first = await store.acquire("context");
      await store.commit([create(first)]);
      const second = await store.acquire("context", { takesOver: true });
      equal([first.lost.aborted, second.lost.aborted], [true, false]);
      equal(second.epoch > first.epoch, true);
      equal(outcomeOf(await store.commit([append(first, 2)])), "lost");
      await check(store, { position: 1, commits: 1 });
      equal(outcomeOf(await store.commit([append(second, 2)])), "stored");
      equal(outcomeOf(await store.commit([append(first, 2)])), "lost");
      await check(store, { position: 2, commits: 2 });
      // The new lease is still valid after the release of the lost one.
      await first.release();
      await rejects(store.acquire("context"));
      await second.release();
    },
  },
  {
    name: "a session that is not stored yet can be taken over within one process",
    async check(store) {
      const first = await store.acquire("context");
      const second = await store.acquire("context", { takesOver: true });
      equal(outcomeOf(await store.commit([create(first)])), "lost");
      equal(await store.findSession("context"), undefined);
      equal(outcomeOf(await store.commit([create(second)])), "stored");
      await second.release();
    },
  },
  {
    name: "the lost lease of a session does not affect other sessions in the same group of commits",
    async check(store) {
      const lost = await store.acquire("context");
      await store.commit([create(lost)]);
      await store.acquire("context", { takesOver: true });
      const other = await store.acquire("other");
      const created = { ...session, contextId: "other" };
      const commit: Commit = { ...create(other), contextId: "other", session: created };
      const outcomes = await store.commit([append(lost, 2), commit]);
      equal([...outcomes].sort(), [
        ["context", "lost"],
        ["other", "stored"],
      ]);
      equal((await store.findSession("other"))?.lastPosition, 1);
    },
  },
  {
    name: "a commit that is sent again has the outcome `stored`, and is written once",
    async check(store) {
      const lease = await store.acquire("context");
      const commits = [create(lease), append(lease, 2)];
      await store.commit(commits);
      equal(outcomeOf(await store.commit(commits)), "stored");
      await check(store, { position: 2, commits: 2 });
      equal(outcomeOf(await store.commit([append(lease, 2), append(lease, 3)])), "stored");
      await check(store, { position: 3, commits: 3 });
      await lease.release();
    },
  },
  {
    name: "a commit with a wrong head or number is refused",
    async check(store) {
      const lease = await store.acquire("context");
      await store.commit([create(lease)]);
      const next = append(lease, 2);
      await rejects(store.commit([{ ...next, expectedHead: 0 }]));
      await rejects(store.commit([{ ...next, expectedHead: 2 }]));
      await rejects(store.commit([{ ...next, number: 3 }]));
      await rejects(store.commit([{ ...next, events: [], expectedHead: 7 }]));
      await check(store, { position: 1, commits: 1 });
      equal(outcomeOf(await store.commit([next])), "stored");
      await lease.release();
    },
  },
  {
    name: "a closed store refuses leases",
    async check(store) {
      await store.close();
      await rejects(store.acquire("context"));
    },
  },
];

function outcomeOf(outcomes: ReadonlyMap<string, string>): string | undefined {
  return outcomes.get("context");
}

/** Creates the first commit of the session, with one event. */
function create(lease: Lease): Commit {
  return { ...append(lease, 1), session };
}

/** Creates the commit with a number. The position of its one event is the same number. */
function append({ epoch }: Lease, number: number): Commit {
  return {
    contextId: "context",
    epoch,
    number,
    expectedHead: number - 1,
    events: [{ position: number, epoch, event: event(number) }],
    journal: [{ type: `commit ${number}` }],
    isCritical: false,
  };
}

async function check(
  store: SessionStore,
  { position, commits }: { readonly position: number; readonly commits: number },
): Promise<void> {
  const stored = await store.findSession("context");
  equal([stored?.lastPosition, stored?.commitNumber], [position, commits]);
  equal((await store.readJournal("context")).length, commits);
  const events = await store.readEvents({ contextId: "context", after: 0, limit: 99 });
  equal(events.length, position);
}
