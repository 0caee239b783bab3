import type { StampedEvent } from "@dt/schema";
import type { Commit, SessionRecord, SessionStore } from "../store/session-store.js";

/** One promise that every store keeps: a name, and a check that throws where it does not. */
export interface StorePromise {
  readonly name: string;
  check(store: SessionStore): Promise<void>;
}

const session: SessionRecord = {
  contextId: "context",
  owner: "alice",
  settings: { workspacePath: "/work", allowedTools: [], mcpServers: {} },
  createdAt: "2026-01-01T00:00:00.000Z",
};

/** The contract: run each promise against a store that is open and empty. */
export const storeContract: readonly StorePromise[] = [
  {
    name: "what was committed is read back in order, after any place, a page at a time",
    async check(store) {
      await store.commit([first([1, 2, 3]), next([4, 5])]);
      const page = await store.readEvents({ contextId: "context", after: 1, limit: 3 });
      equal(
        page.map(({ seq }) => seq),
        [2, 3, 4],
      );
      equal(page[0]?.event, event(2));
      equal(await store.readEvents({ contextId: "context", after: 5, limit: 3 }), []);
      equal((await store.findSession("context"))?.lastSeq, 5);
    },
  },
  {
    name: "the events of one task are read apart from the others",
    async check(store) {
      const other = { seq: 2, event: { ...event(2), taskId: "other" } };
      await store.commit([{ ...first([1]), events: [logged(1), other, logged(3)] }]);
      const events = await store.readEvents({
        contextId: "context",
        after: 0,
        limit: 9,
        taskId: "task",
      });
      equal(
        events.map(({ seq }) => seq),
        [1, 3],
      );
    },
  },
  {
    name: "a session is what it was created as, and unknown ones are not there",
    async check(store) {
      await store.commit([first([1])]);
      equal(await store.findSession("context"), { ...session, lastSeq: 1 });
      equal(await store.findSession("nope"), undefined);
      equal(await store.findTask("nope"), undefined);
    },
  },
  {
    name: "a task is found with its owner, its state and its last place",
    async check(store) {
      await store.commit([first([1])]);
      const done: StampedEvent = { ...event(2), state: "completed" };
      await store.commit([{ ...next([]), events: [{ seq: 2, event: done }] }]);
      equal(await store.findTask("task"), {
        taskId: "task",
        contextId: "context",
        owner: "alice",
        state: "completed",
        lastSeq: 2,
      });
    },
  },
  {
    name: "the journal comes back whole and in order",
    async check(store) {
      await store.commit([{ ...first([1]), journal: [{ type: "a" }, { type: "b" }] }]);
      await store.commit([{ ...next([2]), journal: [{ type: "c", deep: { list: [1, null] } }] }]);
      equal(await store.readJournal("context"), [
        { type: "a" },
        { type: "b" },
        { type: "c", deep: { list: [1, null] } },
      ]);
      equal(await store.readJournal("nope"), []);
    },
  },
  {
    name: "a message that was taken is found by its principal alone",
    async check(store) {
      const receipt = {
        principal: "alice",
        messageId: "message",
        contextId: "context",
        taskId: "task",
        turn: 3,
        after: 7,
      };
      await store.commit([{ ...first([1]), receipt }]);
      equal(await store.findReceipt("alice", "message"), receipt);
      equal(await store.findReceipt("bob", "message"), undefined);
      equal(await store.findReceipt("alice", "other"), undefined);
    },
  },
  {
    name: "sessions with a task that is submitted or working are unfinished, others are not",
    async check(store) {
      await store.commit([first([1])]);
      equal(await store.listUnfinished(), ["context"]);
      const waiting: StampedEvent = { ...event(2), state: "input-required" };
      await store.commit([{ ...next([]), events: [{ seq: 2, event: waiting }] }]);
      equal(await store.listUnfinished(), []);
    },
  },
];

function event(seq: number): StampedEvent {
  return {
    kind: "TEXT_CONTENT",
    text: `text ${seq} \u2603 "quoted"`,
    taskId: "task",
    turn: 1,
    state: "working",
    at: "2026-01-01T00:00:00.000Z",
  };
}

function logged(seq: number) {
  return { seq, event: event(seq) };
}

function first(seqs: readonly number[]): Commit {
  return { ...next(seqs), session };
}

function next(seqs: readonly number[]): Commit {
  return { contextId: "context", events: seqs.map(logged), journal: [], isCritical: false };
}

function equal(actual: unknown, expected: unknown): void {
  const [left, right] = [stable(actual), stable(expected)];
  if (left !== right) throw new Error(`expected ${right}, got ${left}`);
}

// Keys in one order, so that only what a value holds is compared.
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([left], [right]) => (left < right ? -1 : 1)))
      : item,
  );
}
