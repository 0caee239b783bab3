import type { StampedEvent } from "@dt/schema";
import type { SessionQuery } from "../store/session-store.js";
import { auditContract } from "./audit-contract.js";
import { budgetContract } from "./budget-contract.js";
import { type CommitDraft, commitTo } from "./commit-to.js";
import { grantContract } from "./grant-contract.js";
import { leaseContract } from "./lease-contract.js";
import { pushContract } from "./push-contract.js";
import {
  equal,
  event,
  first,
  logged,
  next,
  promptEvent,
  rejects,
  STARTED_AT,
  type StorePromise,
  session,
  taskAt,
  taskIds,
} from "./store-checks.js";
import { tokenContract } from "./token-contract.js";

/** The contract of a store. Run the check of each promise with a store that is open and empty. */
export const storeContract: readonly StorePromise[] = [
  {
    name: "events are read in order, in pages that start after a position",
    async check(store) {
      await commitTo(store, [first([1, 2, 3]), next([4, 5])]);
      const page = await store.readEvents({ contextId: "context", after: 1, limit: 3 });
      equal(
        page.map(({ position }) => position),
        [2, 3, 4],
      );
      equal(page[0]?.event, event(2));
      equal(await store.readEvents({ contextId: "context", after: 5, limit: 3 }), []);
      equal((await store.findSession("context"))?.lastPosition, 5);
    },
  },
  {
    name: "the events of one task are read without those of other tasks",
    async check(store) {
      const other = { position: 2, event: { ...event(2), taskId: "other" } };
      await commitTo(store, [{ ...first([1]), events: [logged(1), other, logged(3)] }]);
      const events = await store.readEvents({
        contextId: "context",
        after: 0,
        limit: 9,
        taskId: "task",
      });
      equal(
        events.map(({ position }) => position),
        [1, 3],
      );
    },
  },
  {
    name: "the events of one task are read in pages that start after a position of the session",
    async check(store) {
      const events = [1, 2, 3, 4, 5, 6].map((position) => ({
        position,
        event: { ...event(position), taskId: position % 2 === 0 ? "even" : "odd" },
      }));
      await commitTo(store, [{ ...first([]), events }]);
      const positions = async (taskId: string, after: number, limit: number) =>
        (await store.readEvents({ contextId: "context", taskId, after, limit })).map(
          ({ position }) => position,
        );
      equal(await positions("even", 0, 2), [2, 4]);
      equal(await positions("even", 2, 2), [4, 6]);
      equal(await positions("even", 3, 1), [4]);
      equal(await positions("even", 6, 2), []);
      equal(await positions("odd", 0, 9), [1, 3, 5]);
      equal(await positions("nope", 0, 9), []);
    },
  },
  {
    name: "readEvents with kinds, upTo and limit returns the first events that fit, and no others",
    async check(store) {
      const change = (position: number) => ({
        position,
        event: { ...event(position), kind: "STATE_CHANGE" as const },
      });
      await commitTo(store, [
        { ...first([]), events: [logged(1), change(2), logged(3), change(4), change(5)] },
      ]);
      const positions = async (after: number, limit: number, upTo: number) => {
        const kinds = { only: ["STATE_CHANGE"] as const, upTo };
        const query = { contextId: "context", taskId: "task", after, limit, kinds };
        return (await store.readEvents(query)).map(({ position }) => position);
      };
      equal(await positions(0, 2, 9), [2, 4]);
      equal(await positions(4, 9, 9), [5]);
      equal(await positions(5, 9, 9), []);
      equal(await positions(0, 9, 4), [2, 4]);
      equal(await positions(2, 9, 3), []);
    },
  },
  {
    name: "a session is found as it was created, and an unknown session is not found",
    async check(store) {
      await commitTo(store, [first([1])]);
      equal(await store.findSession("context"), {
        ...session,
        lastPosition: 1,
        epoch: 1,
        commitNumber: 1,
        lastActiveAt: STARTED_AT,
      });
      equal(await store.findSession("nope"), undefined);
      equal(await store.findTask("nope"), undefined);
    },
  },
  {
    name: "a task is found with its owner, its state and its last position",
    async check(store) {
      await commitTo(store, [first([1])]);
      const done: StampedEvent = { ...event(2), state: "completed" };
      await commitTo(store, [{ ...next([]), events: [{ position: 2, event: done }] }]);
      equal(await store.findTask("task"), {
        taskId: "task",
        contextId: "context",
        sessionCreatedAt: session.createdAt,
        owner: "alice",
        state: "completed",
        lastPosition: 2,
        epoch: 1,
        updatedAt: STARTED_AT,
      });
    },
  },
  {
    name: "a task keeps the dialect of its first commit",
    async check(store) {
      const dialect = { taskId: "task", name: "guide" };
      const other = { position: 2, event: { ...event(2), taskId: "other" } };
      await commitTo(store, [{ ...first([1]), dialect }]);
      await commitTo(store, [{ ...next([]), events: [other] }]);
      await commitTo(store, [{ ...next([3]), dialect: { ...dialect, name: "notes" } }]);
      await commitTo(store, [{ ...next([4]), dialect: { taskId: "other", name: "notes" } }]);
      const dialects = async () => [
        (await store.findTask("task"))?.dialect,
        (await store.findTask("other"))?.dialect,
      ];
      equal(await dialects(), ["guide", undefined]);
      const { tasks } = await store.listTasks({ owner: "alice", limit: 9 });
      equal(
        tasks.flatMap((task) => task.dialect ?? []),
        ["guide"],
      );
    },
  },
  {
    name: "only prompted sessions of one owner and workspace are listed, the latest use first",
    async check(store) {
      const prompted = (contextId: string, text: string, when: string): CommitDraft => ({
        ...first([]),
        contextId,
        session: { ...session, contextId },
        events: [{ position: 1, event: { ...promptEvent(text), taskId: contextId, at: when } }],
      });
      await commitTo(store, [prompted("old", "an older one", STARTED_AT)]);
      await commitTo(store, [prompted("new", "a newer one", "2026-01-02T00:00:00.000Z")]);
      await commitTo(store, [
        { ...first([1]), contextId: "never", session: { ...session, contextId: "never" } },
      ]);
      const list = async (query: Partial<SessionQuery> = {}) =>
        (await store.listSessions({ owner: "alice", limit: 9, ...query })).map(
          ({ contextId, lastPrompt }) => [contextId, lastPrompt],
        );
      const [older, newer] = [
        ["old", "an older one"],
        ["new", "a newer one"],
      ];
      equal(await list(), [newer, older]);
      equal(await list({ limit: 1 }), [newer]);
      equal(await list({ workspacePath: "/work" }), [newer, older]);
      equal(await list({ workspacePath: "/elsewhere" }), []);
      equal(await list({ owner: "bob" }), []);
      await commitTo(store, [
        prompted("mid-1", " ", STARTED_AT),
        prompted("mid-2", "x", STARTED_AT),
      ]);
      equal(await list(), [newer, older, ["mid-2", "x"], ["mid-1", "(no text)"]]);
      for (const contextId of ["mid-1", "mid-2"]) await store.deleteSession(contextId);
      const again = {
        position: 2,
        event: {
          ...promptEvent(`  ${"x".repeat(500)}`),
          taskId: "old",
          at: "2026-01-03T00:00:00.000Z",
        },
      };
      await commitTo(store, [{ ...next([]), contextId: "old", events: [again] }]);
      equal(await list(), [["old", "x".repeat(200)], newer]);
      equal((await store.findSession("old"))?.lastPrompt, "x".repeat(200));
      equal((await store.findSession("never"))?.lastPrompt, undefined);
    },
  },
  {
    name: "sessions of one owner that were used at the same time are listed in a fixed order",
    async check(store) {
      const prompted = (contextId: string): CommitDraft => ({
        ...first([]),
        contextId,
        session: { ...session, contextId },
        events: [{ position: 1, event: { ...promptEvent(contextId), taskId: contextId } }],
      });
      await commitTo(store, ["b", "c", "a"].map(prompted));
      const ids = async (limit: number) =>
        (await store.listSessions({ owner: "alice", limit })).map(({ contextId }) => contextId);
      equal(await ids(9), ["c", "b", "a"]);
      equal(await ids(2), ["c", "b"]);
    },
  },
  {
    name: "the journal is read completely and in order",
    async check(store) {
      await commitTo(store, [{ ...first([1]), journal: [{ type: "a" }, { type: "b" }] }]);
      await commitTo(store, [
        { ...next([2]), journal: [{ type: "c", deep: { list: [1, null] } }] },
      ]);
      equal(await store.readJournal("context"), [
        { type: "a" },
        { type: "b" },
        { type: "c", deep: { list: [1, null] } },
      ]);
      equal(await store.readJournal("nope"), []);
    },
  },
  {
    name: "a receipt is found only if both its user and its message id match",
    async check(store) {
      const receipt = {
        user: "alice",
        messageId: "message",
        contextId: "context",
        taskId: "task",
        turn: 3,
        afterPosition: 7,
        digest: "abc",
      };
      const { digest: _, ...older } = { ...receipt, messageId: "older" };
      await commitTo(store, [
        { ...first([1]), receipt },
        { ...next([2]), receipt: older },
      ]);
      equal(await store.findReceipt("alice", "message"), receipt);
      equal(await store.findReceipt("alice", "older"), older);
      equal(await store.findReceipt("bob", "message"), undefined);
      equal(await store.findReceipt("alice", "other"), undefined);
    },
  },
  {
    name: "only sessions with a submitted or working task are unfinished",
    async check(store) {
      await commitTo(store, [first([1])]);
      equal(await store.listUnfinished(), ["context"]);
      const waiting: StampedEvent = { ...event(2), state: "input-required" };
      await commitTo(store, [{ ...next([]), events: [{ position: 2, event: waiting }] }]);
      equal(await store.listUnfinished(), []);
    },
  },
  {
    name: "a commit that does not start at the next position is refused with its whole group",
    async check(store) {
      await commitTo(store, [first([1])]);
      await rejects(commitTo(store, [{ ...next([2]), journal: [{ type: "a" }] }, next([4])]));
      await rejects(commitTo(store, [next([1])]));
      await rejects(commitTo(store, [{ ...next([1]), contextId: "nope" }]));
      await rejects(commitTo(store, [first([1])]));
      equal((await store.findSession("context"))?.lastPosition, 1);
      equal(await store.readJournal("context"), []);
    },
  },
  {
    name: "a session whose first commit was in a refused group can be committed again",
    async check(store) {
      await rejects(commitTo(store, [taskAt(1), { ...next([1]), contextId: "nope" }]));
      equal(await taskIds(store, {}), []);
      await commitTo(store, [taskAt(1)]);
      equal(await taskIds(store, {}), ["task-1"]);
    },
  },
  {
    name: "the tasks of an owner are listed in pages, the latest change first",
    async check(store) {
      await commitTo(store, [taskAt(1), taskAt(3), taskAt(2), taskAt(4, { owner: "bob" })]);
      const page = await store.listTasks({ owner: "alice", limit: 2 });
      equal(
        page.tasks.map(({ taskId }) => taskId),
        ["task-3", "task-2"],
      );
      equal(page.total, 3);
      const after = page.next ?? "";
      const rest = await store.listTasks({ owner: "alice", limit: 2, after });
      equal(
        rest.tasks.map(({ taskId }) => taskId),
        ["task-1"],
      );
      equal([rest.next, rest.total], [undefined, 3]);
      equal(await store.listTasks({ owner: "nobody", limit: 2 }), { tasks: [], total: 0 });
    },
  },
  {
    name: "each of several tasks that changed at the same time is listed once",
    async check(store) {
      const commits = [1, 2, 3, 4, 5].map((second) => taskAt(second, { at: STARTED_AT }));
      await commitTo(store, commits);
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await store.listTasks({
          owner: "alice",
          limit: 2,
          ...(after !== undefined && { after }),
        });
        seen.push(...page.tasks.map(({ taskId }) => taskId));
        after = page.next;
      } while (after !== undefined);
      equal(seen, ["task-5", "task-4", "task-3", "task-2", "task-1"]);
    },
  },
  {
    name: "listed tasks can be filtered by context, by state and by time of change",
    async check(store) {
      await commitTo(store, [taskAt(1), taskAt(2, { state: "completed" }), taskAt(3)]);
      equal(await taskIds(store, { contextId: "context-1" }), ["task-1"]);
      equal(await taskIds(store, { state: "completed" }), ["task-2"]);
      equal(await taskIds(store, { since: "2026-01-01T00:00:02.000Z" }), ["task-3", "task-2"]);
      equal(await taskIds(store, { state: "working", contextId: "context-2" }), []);
      await rejects(store.listTasks({ owner: "alice", limit: 1, after: "nonsense" }));
    },
  },
  {
    name: "the tasks of one owner or of all owners can be counted",
    async check(store) {
      equal(await store.countTasks(), { active: 0, total: 0 });
      await commitTo(store, [
        taskAt(1),
        taskAt(2, { state: "submitted" }),
        taskAt(3, { state: "input-required" }),
        taskAt(4, { owner: "bob", state: "failed" }),
      ]);
      equal(await store.countTasks(), { active: 2, total: 4 });
      equal(await store.countTasks("alice"), { active: 2, total: 3 });
      equal(await store.countTasks("bob"), { active: 0, total: 1 });
    },
  },
  {
    name: "listUntouched lists sessions without recent events, except those with a running task",
    async check(store) {
      await commitTo(store, [
        taskAt(1, { state: "completed" }),
        taskAt(2),
        taskAt(3, { state: "input-required" }),
        taskAt(9, { state: "completed" }),
      ]);
      const untouched = await store.listUntouched("2026-01-01T00:00:09.000Z");
      equal([...untouched].sort(), ["context-1", "context-3"]);
    },
  },
  {
    name: "the time of a session's last activity never decreases",
    async check(store) {
      const later = { position: 1, event: { ...event(1), at: "2026-01-01T00:00:05.000Z" } };
      const earlier = { ...event(2), at: "2020-01-01T00:00:00.000Z", state: "completed" as const };
      await commitTo(store, [{ ...first([]), events: [later] }]);
      await commitTo(store, [{ ...next([]), events: [{ position: 2, event: earlier }] }]);
      equal((await store.findSession("context"))?.lastActiveAt, "2026-01-01T00:00:05.000Z");
      equal(await store.listUntouched("2026-01-01T00:00:05.000Z"), []);
    },
  },
  {
    name: "deleting a session deletes all its data, and no data of other sessions",
    async check(store) {
      const receipt = {
        user: "alice",
        messageId: "message",
        contextId: "context",
        taskId: "task",
        turn: 1,
        afterPosition: 0,
      };
      await commitTo(store, [{ ...first([1]), journal: [{ type: "a" }], receipt }, taskAt(1)]);
      await store.deleteSession("context");
      await store.deleteSession("nope");
      equal(await store.findSession("context"), undefined);
      equal(await store.findTask("task"), undefined);
      equal(await store.findReceipt("alice", "message"), undefined);
      equal(await store.readEvents({ contextId: "context", after: 0, limit: 9 }), []);
      equal(await store.readJournal("context"), []);
      equal(await taskIds(store, {}), ["task-1"]);
      await commitTo(store, [first([1])]);
      equal(await store.readJournal("context"), []);
    },
  },
  {
    name: "events are stored with every character that JSON allows",
    async check(store) {
      const text = '\u0000 \ud800 \u2028 \\u0041 é "\\\n';
      const odd: StampedEvent = { ...event(1), kind: "TEXT_CONTENT", text };
      await commitTo(store, [{ ...first([]), events: [{ position: 1, event: odd }] }]);
      const [read] = await store.readEvents({ contextId: "context", after: 0, limit: 1 });
      equal(read?.event, odd);
    },
  },
  {
    name: "the last saved view of a task is found until the task's session is deleted",
    async check(store) {
      await commitTo(store, [first([1])]);
      const view = { taskId: "task", contextId: "context", position: 1, json: '{"a":"\u2603"}' };
      equal(await store.findView("task"), undefined);
      await store.saveView({ ...view, json: "{}" });
      await store.saveView(view);
      equal(await store.findView("task"), view);
      await store.deleteSession("context");
      equal(await store.findView("task"), undefined);
    },
  },
  {
    name: "store.check() succeeds while commits work, even after an invalid commit was refused",
    async check(store) {
      equal(await store.check(), { damagedSessions: [] });
      await commitTo(store, [first([1])]);
      await rejects(commitTo(store, [next([9])]));
      equal(await store.check(), { damagedSessions: [] });
      equal(await store.readJournal(""), []);
    },
  },
  {
    name: "changeOwner gives all sessions of a user and the tasks in them to another user",
    async check(store) {
      await commitTo(store, [taskAt(1), taskAt(2), taskAt(3, { owner: "carol" })]);
      equal(await store.changeOwner("alice", "bob"), 2);
      equal(await store.changeOwner("alice", "bob"), 0);
      equal(await taskIds(store, { owner: "alice" }), []);
      equal(await taskIds(store, { owner: "bob" }), ["task-2", "task-1"]);
      equal(await taskIds(store, { owner: "carol" }), ["task-3"]);
      equal((await store.findSession("context-1"))?.owner, "bob");
      equal((await store.findTask("task-2"))?.owner, "bob");
    },
  },
  {
    name: "a closed store refuses every method, and may be closed twice",
    async check(store) {
      await commitTo(store, [first([1])]);
      await store.close();
      await store.close();
      await rejects(commitTo(store, [next([2])]));
      await rejects(store.findSession("context"));
      await rejects(store.readEvents({ contextId: "context", after: 0, limit: 1 }));
      await rejects(store.countTasks());
      await rejects(store.check());
    },
  },
  ...leaseContract,
  ...pushContract,
  ...tokenContract,
  ...budgetContract,
  ...grantContract,
  ...auditContract,
];
