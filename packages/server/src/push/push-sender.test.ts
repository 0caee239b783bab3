import { EventEmitter, once } from "node:events";
import { type StampedEvent, type TaskState, DEFAULT_EXTENSION_URIS as uris } from "@dt/schema";
import { createDialects } from "@dt/schema/wire";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../clock.js";
import { currentLogContext, withLogContext } from "../logging/log-context.js";
import { createSecretVault } from "../secrets/secret-vault.js";
import type { InstanceStore } from "../store/instances/instance-store.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import type { PushRecord } from "../store/push-record.js";
import type { SessionStore } from "../store/session-store.js";
import { type CommitDraft, commitTo } from "../testing/commit-to.js";
import type { Post, PostOutcome } from "./post-delivery.js";
import { openPushSender, type PushSenderOptions } from "./push-sender.js";
import type { PushCall } from "./report-call.js";

const at = "2026-01-01T00:00:00.000Z";
const accepted: PostOutcome = { type: "accepted" };
const refused: PostOutcome = {
  type: "refused",
  error: "the receiver answered 500",
  isFinal: false,
};
const maxPerTask = 10;

function buildPush(overrides: Partial<PushRecord> & { url?: string } = {}): PushRecord {
  const { url = "https://a.example/hook", ...rest } = overrides;
  return {
    taskId: "task",
    configId: "config",
    contextId: "context",
    revision: "1",
    target: { url, version: "1.0", developmentTool: true, session: true, allEvents: false },
    progress: { after: 0, isTaskDue: false, attempts: 0, failures: 0, hasGivenUp: false },
    ...rest,
  };
}

/** Opens a sender on a memory store. A test decides the answers of the receivers. */
async function openStage(
  options: Partial<PushSenderOptions> & { answer?: (post: Post) => Promise<PostOutcome> } = {},
) {
  const store = options.store ?? openMemoryStore();
  const posts: { state: string; attempt: string; url: string; id: string }[] = [];
  const calls: PushCall[] = [];
  const faults: unknown[] = [];
  const warnings: string[] = [];
  const changes = new EventEmitter();
  const { answer = async () => accepted } = options;
  const sender = openPushSender({
    claimMs: 1_000,
    uris,
    dialects: createDialects(uris),
    clock: systemClock,
    vault: createSecretVault(),
    logger: {
      error() {},
      info() {},
      debug() {},
      warn: (fields, sentence) => warnings.push(`${sentence} ${JSON.stringify(fields)}`),
    },
    retry: { baseMs: 1, maxMs: 4, maxFailures: 3 },
    onFault: (reason) => faults.push(reason),
    onCall(call) {
      calls.push(call);
      changes.emit("change");
    },
    ...options,
    store,
    poster: {
      async post(post) {
        const body = JSON.parse(post.body);
        const { status } = body.statusUpdate ?? body.task;
        posts.push({
          state: status.state.replace("TASK_STATE_", "").toLowerCase(),
          attempt: post.headers["X-DT-Attempt"] ?? "",
          id: post.headers["X-DT-Delivery"] ?? "",
          url: post.url,
        });
        changes.emit("change");
        return await Promise.race([answer(post), aborted(post.signal)]);
      },
      close() {},
    },
  });
  const positions = new Map<string, number>();

  return {
    store,
    sender,
    posts,
    calls,
    faults,
    warnings,
    /** Commits changes of state, and notifies the sender as a server does. */
    async enter(
      states: readonly TaskState[],
      about: Partial<CommitDraft> & { taskId?: string } = {},
    ) {
      const { taskId = "task", ...rest } = about;
      const contextId = taskId === "task" ? "context" : taskId;
      const position = positions.get(contextId);
      positions.set(contextId, (position ?? 0) + states.length);
      const events = states.map((state, index) => {
        const event: StampedEvent = { kind: "STATE_CHANGE", taskId, turn: 1, state, at };
        return { position: (position ?? 0) + index + 1, event };
      });
      const settings = { workspacePath: "/", allowedTools: [], mcpServers: {} };
      const session = { contextId, owner: "alice", settings, createdAt: at };
      const commit: CommitDraft = {
        contextId,
        events,
        journal: [],
        isCritical: false,
        ...(position === undefined && { session }),
        ...rest,
      };
      await commitTo(store, [commit]);
      sender.notify(commit);
    },
    async set(push: PushRecord) {
      await store.savePush(push, { maxPerTask });
      sender.update(push);
    },
    async until(isDone: () => boolean) {
      while (!isDone()) await once(changes, "change");
    },
    progress: async (configId = "config", taskId = "task") =>
      (await store.listPushes(taskId)).find((push) => push.configId === configId)?.progress,
    [Symbol.asyncDispose]: () => sender.close(),
  };
}

async function aborted(signal: AbortSignal): Promise<PostOutcome> {
  await once(signal, "abort");
  return refused;
}

/** Creates a memory store whose `notePush` fails a given number of times. */
function faultyStore(faults: { notePush: number }): SessionStore {
  const store = openMemoryStore();
  return {
    ...store,
    async notePush(push, progress) {
      if (faults.notePush > 0) {
        faults.notePush -= 1;
        throw new Error("disk full");
      }
      return await store.notePush(push, progress);
    },
  };
}

test("all events after a config's position are delivered once and in order [RFC-03]", async () => {
  await using stage = await openStage();
  await stage.enter(["submitted", "working"]);

  await stage.set(buildPush());
  await stage.until(() => stage.calls.length === 2);
  await stage.enter(["input-required"]);
  await stage.enter(["working", "completed"]);
  await stage.until(() => stage.calls.length === 5);

  expect(stage.posts.map(({ state, attempt }) => [state, attempt])).toEqual([
    ["submitted", "1"],
    ["working", "1"],
    ["input_required", "1"],
    ["working", "1"],
    ["completed", "1"],
  ]);
  expect(await stage.progress()).toMatchObject({ after: 5, attempts: 0 });
  expect(stage.sender.counters).toEqual({ delivered: 5, retried: 0, gaveUp: 0 });
});

test("text is delivered only to the receiver of a config that includes all events", async () => {
  await using stage = await openStage();
  const toAll = buildPush({ configId: "all", url: "https://b.example/hook" });
  await stage.enter(["submitted"], { push: buildPush() });
  await stage.set({ ...toAll, target: { ...toAll.target, allEvents: true } });
  await stage.until(() => stage.calls.length === 2);
  const text: StampedEvent = {
    kind: "TEXT_CONTENT",
    text: "hi",
    taskId: "task",
    turn: 1,
    state: "working",
    at,
  };

  await stage.enter([], { events: [{ position: 2, event: text }] });
  await stage.until(() => stage.calls.length === 3);

  expect(stage.posts.map(({ url }) => new URL(url).host)).toEqual([
    "a.example",
    "b.example",
    "b.example",
  ]);
});

test("an event does not shorten the wait for the next attempt", async () => {
  await using stage = await openStage({
    answer: async () => refused,
    retry: { baseMs: 600_000, maxMs: 600_000, maxFailures: 3 },
  });
  await stage.enter(["submitted"], { push: buildPush() });
  await stage.until(() => stage.calls.length === 1);

  await stage.enter(["working"]);
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);

  expect(stage.posts).toHaveLength(1);
  expect(stage.faults).toEqual([]);
});

test("the events of a commit are delivered to a config of the same commit", async () => {
  await using stage = await openStage();

  await stage.enter(["submitted"], { push: buildPush() });
  await stage.until(() => stage.calls.length === 1);

  expect(stage.posts.map(({ state }) => state)).toEqual(["submitted"]);
});

test("a commit reads the push configs of its task only if the store has a config", async () => {
  const store = openMemoryStore();
  const asked: string[] = [];
  await using stage = await openStage({
    store: {
      ...store,
      listPushes(taskId) {
        asked.push(taskId);
        return store.listPushes(taskId);
      },
    },
  });
  await stage.sender.start();

  await stage.enter(["submitted"]);
  const before = [...asked];
  await stage.set(buildPush());
  await stage.enter(["working"]);
  await stage.until(() => stage.calls.length === 2);

  expect(before).toEqual([]);
  expect(stage.posts.map(({ state }) => state)).toEqual(["submitted", "working"]);
});

test("a failed call is repeated with the same id before later events", async () => {
  const outcomes = [refused, refused, accepted, accepted];
  await using stage = await openStage({ answer: async () => outcomes.shift() ?? accepted });

  await stage.enter(["working", "completed"], { push: buildPush() });
  await stage.until(() => stage.calls.length === 4);

  expect(stage.posts.map(({ state, attempt }) => [state, attempt])).toEqual([
    ["working", "1"],
    ["working", "2"],
    ["working", "3"],
    ["completed", "1"],
  ]);
  expect(new Set(stage.posts.slice(0, 3).map(({ id }) => id)).size).toBe(1);
  expect(stage.calls.map(({ outcome }) => outcome)).toEqual([
    "retried",
    "retried",
    "delivered",
    "delivered",
  ]);
});

test("a receiver is not called for an event while its config waits for the next attempt", async () => {
  const retry = { baseMs: 60_000, maxMs: 60_000, maxFailures: 9 };
  await using stage = await openStage({ retry, answer: async () => refused });
  await stage.enter(["working"], { push: buildPush() });
  await stage.until(() => stage.calls.length === 1);

  await stage.enter(["completed"], {});
  await stage.set(buildPush({ configId: "other", url: "https://b.example/" }));
  await stage.until(() => stage.calls.length === 2);

  expect(stage.posts.map(({ url }) => url)).toEqual([
    "https://a.example/hook",
    "https://b.example/",
  ]);
  expect(await stage.sender.countPending()).toBe(2);
});

test("log lines of push calls do not contain the ids of a request", async () => {
  const contexts: object[] = [];
  await using stage = await openStage({
    async answer() {
      contexts.push({ ...currentLogContext() });
      return contexts.length < 4 ? refused : accepted;
    },
  });
  const about = { taskId: "t2", contextId: "t2" };

  await withLogContext({ requestId: "r1" }, async () => {
    await stage.enter(["working"], { push: buildPush() });
    await stage.enter(["working"], { taskId: "t2" });
    await stage.set(buildPush({ ...about, url: "https://b.example/" }));
  });
  await stage.until(() => stage.calls.length === 5);

  const own = [
    { contextId: "context", taskId: "task" },
    { contextId: "t2", taskId: "t2" },
  ];
  expect(contexts).toHaveLength(5);
  expect(own).toEqual(expect.arrayContaining(contexts));
  expect(contexts).toEqual(expect.arrayContaining(own));
});

test("the next attempt is not before the Retry-After of the receiver has passed", async () => {
  const busy: PostOutcome = { ...refused, retryAfterMs: 600_000 };
  await using stage = await openStage({ answer: async () => busy });
  const before = Date.now();

  await stage.enter(["working"], { push: buildPush() });
  await stage.until(() => stage.calls.length === 1);

  const { nextAttemptAt = "" } = (await stage.progress()) ?? {};
  expect(Date.parse(nextAttemptAt) - before).toBeGreaterThanOrEqual(600_000);
});

test("a config is given up after too many failures, and continues when it is set again", async () => {
  let isDown = true;
  await using stage = await openStage({ answer: async () => (isDown ? refused : accepted) });
  await stage.enter(["working", "completed"], {
    push: buildPush({ url: "https://a.example/hook?secret=1" }),
  });
  await stage.until(() => stage.calls.length === 3);

  const given = await stage.progress();
  await stage.enter(["working"]);
  isDown = false;
  await stage.set(buildPush({ url: "https://a.example/hook?secret=2", revision: "2" }));
  await stage.until(() => stage.calls.length === 6);

  expect(given).toMatchObject({
    hasGivenUp: true,
    failures: 3,
    lastError: "the receiver answered 500",
  });
  expect(stage.sender.counters).toEqual({ delivered: 3, retried: 2, gaveUp: 1 });
  expect(stage.warnings).toHaveLength(1);
  expect(stage.warnings[0]).toMatch(
    /^push given up .*"host":"a.example".*"why":"the receiver answered 500"/,
  );
  expect(stage.warnings[0]).not.toContain("secret");
  expect(stage.posts.slice(2).map(({ state, attempt }) => [state, attempt])).toEqual([
    ["working", "3"],
    ["working", "4"],
    ["completed", "1"],
    ["working", "1"],
  ]);
});

test("a receiver that never answers does not delay other receivers", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await using stage = await openStage({
    limits: { maxCalls: 4, maxCallsPerOrigin: 2, slowMs: 60_000 },
    async answer({ url }) {
      if (url.includes("dead")) await held;
      return accepted;
    },
  });
  for (const taskId of ["t1", "t2", "t3", "t4"]) {
    const dead = buildPush({ taskId, contextId: taskId, url: "https://dead.example/" });
    await stage.enter(["working"], { taskId, push: dead });
  }
  await stage.enter(["working"], { push: buildPush({ url: "https://dead.example/" }) });

  await stage.set(buildPush({ configId: "alive" }));
  await stage.enter(["completed"]);
  await stage.until(() => stage.calls.length === 2);
  const delivered = stage.posts.filter(({ url }) => url.includes("a.example"));
  const stuck = stage.posts.filter(({ url }) => url.includes("dead"));
  release();

  expect(delivered.map(({ state }) => state)).toEqual(["working", "completed"]);
  expect(stuck).toHaveLength(2);
});

test("many receivers that never answer do not block others, on one host or on many", async () => {
  await using stage = await openStage({
    limits: { maxCalls: 4, maxCallsPerOrigin: 2, slowMs: 5 },
    async answer({ url }) {
      return url.includes("hang") ? await new Promise(() => {}) : accepted;
    },
  });
  const urls = [
    ...["a", "b", "c", "d"].map((host) => `https://${host}.example/hang`),
    ...["a", "a", "a", "a"].map((host, index) => `https://${host}.example/hang?${index}`),
  ];
  for (const [index, url] of urls.entries()) {
    const taskId = `t${index}`;
    const push = buildPush({ taskId, contextId: taskId, url });
    await stage.enter(["working"], { taskId, push });
  }

  await stage.enter(["working"], { push: buildPush({ url: "https://a.example/hook" }) });
  await stage.until(() => stage.calls.length === 1);

  expect(stage.calls.map(({ outcome }) => outcome)).toEqual(["delivered"]);
});

test("receivers that failed before a restart do not block others after the restart", async () => {
  const store = openMemoryStore();
  await using stage = await openStage({
    store,
    limits: { maxCalls: 1, maxCallsPerOrigin: 1, slowMs: 60_000 },
    async answer({ url }) {
      return url.includes("dead") ? await new Promise(() => {}) : accepted;
    },
  });
  const failed = { ...buildPush().progress, attempts: 1, failures: 1, nextAttemptAt: at };
  await stage.enter(["working"]);
  for (const host of ["1", "2", "3"]) {
    const url = `https://dead${host}.example/`;
    await store.savePush(buildPush({ configId: host, url, progress: failed }), { maxPerTask });
  }
  await store.savePush(buildPush({ configId: "well" }), { maxPerTask });

  await stage.sender.start();
  await stage.until(() => stage.calls.length === 1);

  expect(stage.calls.map(({ outcome }) => outcome)).toEqual(["delivered"]);
  expect(stage.posts).toHaveLength(2);
});

test("the receiver of a config is not called again after the config was deleted", async () => {
  await using stage = await openStage({ answer: () => new Promise(() => {}) });
  await stage.enter(["working"], { push: buildPush() });
  await stage.until(() => stage.posts.length === 1);

  await stage.store.deletePush(buildPush());
  await stage.sender.stop(buildPush());
  await stage.enter(["completed"]);
  await stage.set(
    buildPush({ configId: "other", progress: { ...buildPush().progress, after: 2 } }),
  );

  expect(stage.posts).toHaveLength(1);
  expect(stage.calls).toEqual([]);
  expect(await stage.progress()).toBeUndefined();
});

test("a delivery is sent to the new receiver if the config was changed during a call", async () => {
  await using stage = await openStage({
    answer: ({ url }) =>
      url.includes("b.example") ? Promise.resolve(accepted) : new Promise(() => {}),
  });
  await stage.enter(["working"], { push: buildPush() });
  await stage.until(() => stage.posts.length === 1);

  await stage.set(buildPush({ revision: "2", url: "https://b.example/" }));
  await stage.until(() => stage.calls.length === 1);

  expect(stage.posts.map(({ url, state, attempt }) => [url, state, attempt])).toEqual([
    ["https://a.example/hook", "working", "1"],
    ["https://b.example/", "working", "2"],
  ]);
  expect(stage.posts[0]?.id).toBe(stage.posts[1]?.id);
});

test("a queued delivery is sent to the new receiver if its config was changed", async () => {
  const limits = { maxCalls: 2, maxCallsPerOrigin: 1, slowMs: 60_000 };
  await using stage = await openStage({
    limits,
    answer: ({ url }) => (url.includes("busy") ? new Promise(() => {}) : Promise.resolve(accepted)),
  });
  const busy = "https://busy.example/";
  await stage.enter(["working"], { push: buildPush({ url: busy }) });
  await stage.until(() => stage.posts.length === 1);

  await stage.set(buildPush({ configId: "second", url: busy }));
  await stage.set(buildPush({ configId: "second", revision: "2", url: "https://b.example/" }));
  await stage.until(() => stage.calls.length === 1);

  expect(stage.posts.map(({ url }) => url)).toEqual([busy, "https://b.example/"]);
});

test("failing receivers have a smaller limit of simultaneous calls", async () => {
  const store = openMemoryStore();
  await using stage = await openStage({
    store,
    limits: { maxCalls: 3, maxFailingCalls: 1, slowMs: 60_000 },
    answer: () => new Promise(() => {}),
  });
  const failed = { ...buildPush().progress, attempts: 1, failures: 1, nextAttemptAt: at };
  await stage.enter(["working"]);
  for (const host of ["1", "2", "3"]) {
    const url = `https://dead${host}.example/`;
    await store.savePush(buildPush({ configId: host, url, progress: failed }), { maxPerTask });
  }
  await stage.sender.start();
  await stage.until(() => stage.posts.length === 1);

  for (const host of ["4", "5", "6", "7"]) {
    await stage.set(buildPush({ configId: host, url: `https://new${host}.example/` }));
  }
  await stage.until(() => stage.posts.length === 4);

  expect(stage.posts.map(({ url }) => new URL(url).hostname)).toEqual([
    "dead1.example",
    "new4.example",
    "new5.example",
    "new6.example",
  ]);
  expect(await stage.sender.countPending()).toBe(7);
});

test("all configs of a failing receiver share the smaller limit", async () => {
  const answers: ((outcome: PostOutcome) => void)[] = [];
  let isDown = true;
  await using stage = await openStage({
    retry: { baseMs: 60_000, maxMs: 60_000, maxFailures: 9 },
    limits: { maxCalls: 3, maxFailingCalls: 1, slowMs: 60_000 },
    async answer({ url }) {
      if (url.includes("b.example")) return accepted;
      return isDown ? refused : await new Promise((resolve) => answers.push(resolve));
    },
  });
  const posted = () => stage.posts.filter(({ url }) => url.includes("a.example")).length;
  await stage.enter(["working"], { push: buildPush() });
  await stage.until(() => stage.calls.length === 1);

  isDown = false;
  for (const configId of ["2", "3", "4"]) await stage.set(buildPush({ configId }));
  await stage.set(buildPush({ configId: "5", url: "https://b.example/" }));
  await stage.until(() => stage.calls.length === 2);
  const whileFailing = posted();
  answers[0]?.(accepted);
  await stage.until(() => posted() === 4);

  expect(whileFailing).toBe(2);
  expect(stage.calls.map(({ outcome }) => outcome)).toEqual(["retried", "delivered", "delivered"]);
});

test("times of attempts, signatures and durations come from the given clock", async () => {
  const signatures: string[] = [];
  let elapsed = 100;
  await using stage = await openStage({
    secret: "key",
    retry: { baseMs: 60_000, maxMs: 60_000, maxFailures: 9 },
    clock: { now: () => new Date(at), elapsedMs: () => elapsed },
    async answer({ headers }) {
      signatures.push(headers["X-DT-Signature"] ?? "");
      elapsed += 7;
      return { ...refused, retryAfterMs: 120_000 };
    },
  });

  await stage.enter(["working"], { push: buildPush() });
  await stage.until(() => stage.calls.length === 1);

  expect(await stage.progress()).toMatchObject({ nextAttemptAt: "2026-01-01T00:02:00.000Z" });
  expect(signatures).toEqual([expect.stringMatching(/^t=1767225600,v1=/)]);
  expect(stage.calls).toEqual([{ outcome: "retried", ms: 7 }]);
});

test("a running call is not aborted if its config is set again without changes", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await using stage = await openStage({
    async answer() {
      await held;
      return accepted;
    },
  });
  await stage.enter(["working"], { push: buildPush() });
  await stage.until(() => stage.posts.length === 1);

  await stage.enter(["completed"], { push: buildPush() });
  release();
  await stage.until(() => stage.calls.length === 2);

  expect(stage.posts.map(({ state, attempt }) => [state, attempt])).toEqual([
    ["working", "1"],
    ["completed", "1"],
  ]);
});

test("the next process repeats a call that a killed process began [LOG-01]", async () => {
  const store = openMemoryStore();
  await using dead = await openStage({ store, answer: () => new Promise(() => {}) });
  await dead.enter(["working", "completed"], { push: buildPush() });
  await dead.until(() => dead.posts.length === 1);

  await using next = await openStage({ store });
  await next.sender.start();
  await next.until(() => next.calls.length === 2);

  expect(next.posts.map(({ state, attempt }) => [state, attempt])).toEqual([
    ["working", "2"],
    ["completed", "1"],
  ]);
  expect(next.posts[0]?.id).toBe(dead.posts[0]?.id);
});

test("all deliveries of an earlier process continue, even if its configs do not fit in memory", async () => {
  await using stage = await openStage({
    limits: { maxCalls: 1, maxCallsPerOrigin: 1, maxQueued: 2 },
  });
  await stage.enter(["completed"]);
  const ids = ["a", "b", "c", "d", "e", "f"];

  for (const configId of ids) await stage.store.savePush(buildPush({ configId }), { maxPerTask });
  await stage.sender.start();
  await stage.until(() => stage.calls.length === ids.length);

  const progresses = await Promise.all(ids.map((configId) => stage.progress(configId)));
  expect(progresses.map((progress) => progress?.after)).toEqual(ids.map(() => 1));
  expect(stage.posts).toHaveLength(ids.length);
});

test("a config that does not fit in memory waits in the store, and its event is delivered later", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await using stage = await openStage({
    limits: { maxCalls: 1, maxCallsPerOrigin: 1, maxQueued: 1 },
    async answer() {
      await held;
      return accepted;
    },
  });
  for (const configId of ["a", "b", "c"]) {
    await stage.store.savePush(buildPush({ configId }), { maxPerTask });
  }

  await stage.enter(["completed"]);
  await stage.until(() => stage.posts.length === 1);
  release();
  await stage.until(() => stage.calls.length === 3);

  const progresses = await Promise.all(["a", "b", "c"].map((configId) => stage.progress(configId)));
  expect(progresses.map((progress) => progress?.after)).toEqual([1, 1, 1]);
});

test("a fault of the store is reported, and the delivery is repeated", async () => {
  const faults = { notePush: 1 };
  await using stage = await openStage({ store: faultyStore(faults) });

  await stage.enter(["completed"]);
  await stage.set(buildPush());
  await stage.until(() => stage.calls.length === 1);

  expect(stage.faults).toHaveLength(1);
  expect(stage.posts.map(({ state }) => state)).toEqual(["completed"]);
});

test("a fault is reported if the store cannot save that a config waits", async () => {
  const faults = { notePush: 0 };
  await using stage = await openStage({
    store: faultyStore(faults),
    limits: { maxCalls: 1, maxCallsPerOrigin: 1, maxQueued: 1 },
  });
  for (const configId of ["a", "b", "c"]) {
    await stage.store.savePush(buildPush({ configId }), { maxPerTask });
  }

  faults.notePush = 2;
  await stage.enter(["completed"]);
  await stage.until(() => stage.calls.length === 1);

  expect(stage.faults).toMatchObject([{ message: "disk full" }, { message: "disk full" }]);
  expect(await stage.progress("a")).toMatchObject({ after: 1 });
});

test("a fault at the start is reported, and later events are delivered", async () => {
  const store = openMemoryStore();
  const resumePushes = () => Promise.reject(new Error("disk full"));
  await using stage = await openStage({ store: { ...store, resumePushes } });
  await stage.store.savePush(buildPush(), { maxPerTask });

  await stage.sender.start();
  await stage.enter(["working"]);
  await stage.until(() => stage.calls.length === 1);

  expect(stage.faults).toMatchObject([{ message: "disk full" }]);
});

test("a fault while configs are listed is reported, and the next event lists them again", async () => {
  const store = openMemoryStore();
  let isBroken = true;
  const listPushes: SessionStore["listPushes"] = async (taskId) => {
    if (isBroken) throw new Error("disk full");
    return await store.listPushes(taskId);
  };
  await using stage = await openStage({ store: { ...store, listPushes } });
  await stage.store.savePush(buildPush(), { maxPerTask });

  await stage.enter(["submitted"]);
  await expect.poll(() => stage.faults.length).toBe(1);
  isBroken = false;
  await stage.enter(["working"]);
  await stage.until(() => stage.calls.length === 2);

  expect(stage.posts.map(({ state }) => state)).toEqual(["submitted", "working"]);
});

test("a call is repeated if the store cannot save its result", async () => {
  const faults = { notePush: 0 };
  await using stage = await openStage({
    store: faultyStore(faults),
    async answer() {
      if (stage.posts.length === 1) faults.notePush = 1;
      return accepted;
    },
  });

  await stage.enter(["completed"]);
  await stage.set(buildPush());
  await stage.until(() => stage.calls.length === 1);

  expect(stage.posts.map(({ attempt }) => attempt)).toEqual(["1", "2"]);
});

test("a call on a stale connection is repeated at once", async () => {
  const outcomes: PostOutcome[] = [{ type: "stale" }, accepted];
  await using stage = await openStage({ answer: async () => outcomes.shift() ?? accepted });

  await stage.enter(["working"], { push: buildPush() });
  await stage.until(() => stage.calls.length === 1);

  expect(stage.posts.map(({ state, attempt }) => [state, attempt])).toEqual([
    ["working", "1"],
    ["working", "2"],
  ]);
});

test("closing a sender waits for a running call that ends soon", async () => {
  let answer = (_outcome: PostOutcome) => {};
  const stage = await openStage({ answer: () => new Promise((resolve) => (answer = resolve)) });
  await stage.enter(["working"], { push: buildPush() });
  await stage.until(() => stage.posts.length === 1);

  const closed = stage.sender.close();
  answer(accepted);
  await closed;

  expect(await stage.progress()).toMatchObject({ after: 1, attempts: 0 });
});

test("closing a sender aborts a running call that does not end, and prevents new calls", async () => {
  const stage = await openStage({ answer: () => new Promise(() => {}) });
  await stage.enter(["working"], { push: buildPush() });
  await stage.until(() => stage.posts.length === 1);

  await stage.sender.close();
  await stage.enter(["completed"]);

  expect(stage.posts).toHaveLength(1);
  expect(await stage.progress()).toMatchObject({ after: 0, attempts: 1, failures: 0 });
});

test("the configs of a session are deleted with the session", async () => {
  const retry = { baseMs: 5, maxMs: 5, maxFailures: 99 };
  await using stage = await openStage({ retry, answer: async () => refused });
  await stage.enter(["working"], { push: buildPush() });
  await stage.until(() => stage.calls.length === 2);

  await stage.store.deleteSession("context");

  expect(await stage.sender.countPending()).toBeLessThanOrEqual(1);
  expect(await stage.store.listPushes("task")).toEqual([]);
});

test("while instances share the store, deliveries without an instance are continued every five seconds [SRV-27]", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const kept = openMemoryStore();
  let resumes = 0;
  const reads: string[] = [];
  const store: SessionStore = {
    ...kept,
    instances: {} as InstanceStore,
    async resumePushes() {
      resumes += 1;
      return false;
    },
    async listPushes(taskId) {
      reads.push(taskId);
      return await kept.listPushes(taskId);
    },
  };
  const stage = await openStage({ store });
  await stage.sender.start();
  const counts = [resumes];
  for (let second = 1; second <= 10; second += 1) {
    vi.advanceTimersByTime(1_000);
    await new Promise(setImmediate);
    counts.push(resumes);
  }
  await stage.enter(["submitted"]);
  await stage.enter(["working"]);
  const cached = reads.length;
  vi.advanceTimersByTime(1_000);
  await stage.enter(["completed"]);
  await stage.sender.close();
  vi.advanceTimersByTime(60_000);

  expect(counts).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3]);
  // Another instance may have set a config since the last tick.
  expect([cached, reads.length, resumes]).toEqual([1, 2, 3]);
});

test("a sender of the only instance plans no checks", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  await using stage = await openStage();

  await stage.sender.start();

  expect(vi.getTimerCount()).toBe(0);
});
