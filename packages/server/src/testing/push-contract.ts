import type { PushProgress, PushRecord } from "../store/push-record.js";
import { commitTo } from "./commit-to.js";
import { equal, first, next, rejects, type StorePromise, taskAt } from "./store-checks.js";

const NEW_PROGRESS: PushProgress = {
  after: 0,
  isTaskDue: false,
  attempts: 0,
  failures: 0,
  hasGivenUp: false,
};

const LIMIT = { maxPerTask: 3 };

/** Promises of every store about push configs. */
export const pushContract: readonly StorePromise[] = [
  {
    name: "a push config is listed as it was set, with the other configs of its task",
    async check(store) {
      const target = {
        ...buildPush().target,
        token: "secret",
        authentication: { schemes: ["Bearer", "Basic"], credentials: "key" },
      };
      const push = buildPush({
        target,
        progress: {
          ...NEW_PROGRESS,
          after: 4,
          isTaskDue: true,
          attempts: 2,
          failures: 1,
          lastError: "é",
        },
      });
      equal(await store.savePush(buildPush({ configId: "b" }), LIMIT), true);
      equal(await store.savePush(push, LIMIT), true);
      await store.savePush(buildPush({ taskId: "other" }), LIMIT);
      equal(await store.listPushes("task"), [push, buildPush({ configId: "b" })]);
      equal(await store.listPushes("nope"), []);
    },
  },
  {
    name: "a push config beyond the limit of its task is refused",
    async check(store) {
      for (const configId of ["a", "b", "c"]) {
        equal(await store.savePush(buildPush({ configId }), LIMIT), true);
      }
      equal(await store.savePush(buildPush({ configId: "d" }), LIMIT), false);
      equal(await store.savePush(buildPush({ configId: "b", revision: "2" }), LIMIT), true);
      equal(await store.savePush(buildPush({ configId: "d", taskId: "other" }), LIMIT), true);
      equal(
        (await store.listPushes("task")).map(({ configId }) => configId),
        ["a", "b", "c"],
      );
    },
  },
  {
    name: "a push config that is set again keeps its position and attempts",
    async check(store) {
      const stuck: PushProgress = {
        after: 7,
        isTaskDue: true,
        attempts: 9,
        failures: 5,
        nextAttemptAt: "2026-01-01T00:00:09.000Z",
        lastError: "the receiver answered 500",
        hasGivenUp: true,
      };
      await store.savePush(buildPush({ progress: stuck }), LIMIT);
      const again = buildPush({
        revision: "2",
        target: { ...buildPush().target, url: "http://b" },
      });
      await store.savePush(again, LIMIT);
      equal(await store.listPushes("task"), [
        { ...again, progress: { ...NEW_PROGRESS, after: 7, isTaskDue: true, attempts: 9 } },
      ]);
    },
  },
  {
    name: "progress is not saved if the push config was changed or deleted",
    async check(store) {
      const push = buildPush();
      const noted: PushProgress = {
        ...NEW_PROGRESS,
        after: 3,
        attempts: 1,
        failures: 1,
        lastError: "x",
      };
      await store.savePush(push, LIMIT);
      equal(await store.notePush(push, noted), true);
      equal((await store.listPushes("task"))[0]?.progress, noted);
      equal(await store.notePush({ ...push, revision: "2" }, NEW_PROGRESS), false);
      equal((await store.listPushes("task"))[0]?.progress, noted);
      await store.deletePush(push);
      await store.deletePush(push);
      equal(await store.notePush(push, noted), false);
      equal(await store.listPushes("task"), []);
    },
  },
  {
    name: "deleting a push config does not affect the other configs of its task",
    async check(store) {
      for (const configId of ["a", "b"]) await store.savePush(buildPush({ configId }), LIMIT);
      await store.deletePush(buildPush({ configId: "a" }));
      equal(await store.listPushes("task"), [buildPush({ configId: "b" })]);
    },
  },
  {
    name: "each push config that is due is claimed once, the earliest first",
    async check(store) {
      equal(await store.countWaitingPushes(), { count: 0 });
      for (const [configId, second] of [
        ["a", 3],
        ["b", 1],
        ["c", 2],
      ] as const) {
        await store.savePush(buildPush({ configId, progress: waitingUntil(second) }), LIMIT);
      }
      await store.savePush(buildPush({ taskId: "other" }), LIMIT);
      equal(await store.countWaitingPushes(), { count: 3, nextAt: second(1) });
      const ids = async (at: number, most: number) =>
        (await store.claimPushes({ now: second(at), limit: most })).map(({ configId }) => configId);
      equal(await ids(0, 9), []);
      equal(await ids(2, 1), ["b"]);
      equal(await ids(2, 9), ["c"]);
      equal(await ids(2, 9), []);
      equal(await store.countWaitingPushes(), { count: 1, nextAt: second(3) });
      const [claimed] = await store.claimPushes({ now: second(3), limit: 9 });
      equal(claimed, buildPush({ progress: { ...NEW_PROGRESS, failures: 1 } }));
      equal((await store.listPushes("task"))[0]?.progress, { ...NEW_PROGRESS, failures: 1 });
    },
  },
  {
    name: "after a restart, push configs with undelivered events and no next attempt are due",
    async check(store) {
      await commitTo(store, [taskAt(1), taskAt(2)]);
      equal(await store.resumePushes(second(5)), false);
      const of = (configId: string, progress: Partial<PushProgress>, taskId = "task-1") =>
        buildPush({ taskId, configId, progress: { ...NEW_PROGRESS, ...progress } });
      const pushes = [
        of("behind", {}),
        of("delivered", { after: 1 }),
        of("waits", waitingUntil(9)),
        of("gave-up", { hasGivenUp: true, failures: 9 }, "task-2"),
        of("task-due", { after: 1, isTaskDue: true }, "task-2"),
        of("no-task", {}, "nope"),
      ];
      for (const push of pushes) await store.savePush(push, { maxPerTask: 9 });
      equal(await store.resumePushes(second(5)), true);
      const due = await store.claimPushes({ now: second(5), limit: 9 });
      equal(due.map(({ configId }) => configId).sort(), ["behind", "task-due"]);
      equal(await store.countWaitingPushes(), { count: 1, nextAt: second(9) });
    },
  },
  {
    name: "push configs can be claimed, counted and resumed for one session",
    async check(store) {
      await commitTo(store, [taskAt(1), taskAt(2)]);
      for (const name of ["1", "2"]) {
        const of = { taskId: `task-${name}`, contextId: `context-${name}` };
        await store.savePush(buildPush({ ...of, configId: "behind" }), LIMIT);
        const progress = waitingUntil(1);
        await store.savePush(buildPush({ ...of, configId: "waits", progress }), LIMIT);
      }
      const scope = { contextId: "context-1" };
      equal(await store.resumePushes(second(2), scope), true);
      equal(await store.resumePushes(second(2), { contextId: "nope" }), false);
      equal(await store.countWaitingPushes(scope), { count: 2, nextAt: second(1) });
      equal(await store.countWaitingPushes(), { count: 3, nextAt: second(1) });
      const claimed = await store.claimPushes({ now: second(9), limit: 9, ...scope });
      equal(
        claimed.map(({ taskId, configId }) => [taskId, configId]),
        [
          ["task-1", "waits"],
          ["task-1", "behind"],
        ],
      );
      equal(await store.countWaitingPushes(), { count: 1, nextAt: second(1) });
    },
  },
  {
    name: "the push config of a commit is stored only if the commit is stored",
    async check(store) {
      await commitTo(store, [{ ...first([1]), push: buildPush() }]);
      equal(await store.listPushes("task"), [buildPush()]);
      await rejects(commitTo(store, [{ ...next([3]), push: buildPush({ configId: "b" }) }]));
      equal(await store.listPushes("task"), [buildPush()]);
      const again = buildPush({ revision: "2", progress: { ...NEW_PROGRESS, after: 1 } });
      await commitTo(store, [{ ...next([2]), push: again }]);
      equal(await store.listPushes("task"), [{ ...again, progress: NEW_PROGRESS }]);
    },
  },
  {
    name: "the push configs of a session are deleted with the session",
    async check(store) {
      await commitTo(store, [first([1]), taskAt(1)]);
      await store.savePush(buildPush(), LIMIT);
      const other = buildPush({ taskId: "task-1", contextId: "context-1" });
      await store.savePush(other, LIMIT);
      await store.deleteSession("context");
      equal(await store.listPushes("task"), []);
      equal(await store.listPushes("task-1"), [other]);
    },
  },
  {
    name: "a closed store refuses every method about push configs",
    async check(store) {
      await store.close();
      await rejects(store.savePush(buildPush(), LIMIT));
      await rejects(store.listPushes("task"));
      await rejects(store.deletePush(buildPush()));
      await rejects(store.notePush(buildPush(), NEW_PROGRESS));
      await rejects(store.claimPushes({ now: second(1), limit: 1 }));
      await rejects(store.countWaitingPushes());
      await rejects(store.resumePushes(second(1)));
    },
  },
];

function buildPush(overrides: Partial<PushRecord> = {}): PushRecord {
  return {
    taskId: "task",
    configId: "a",
    contextId: "context",
    revision: "1",
    target: {
      url: "https://example.com/hook",
      version: "1.0",
      developmentTool: true,
      session: false,
      allEvents: false,
    },
    progress: NEW_PROGRESS,
    ...overrides,
  };
}

function waitingUntil(time: number): PushProgress {
  return { ...NEW_PROGRESS, failures: 1, nextAttemptAt: second(time) };
}

function second(time: number): string {
  return `2026-01-01T00:00:${String(time).padStart(2, "0")}.000Z`;
}
