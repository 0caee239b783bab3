import { DEFAULT_EXTENSION_URIS as uris } from "@dt/schema";
import { createDialects } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { sealTarget } from "../secrets/push-secrets.js";
import { createSecretVault } from "../secrets/secret-vault.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import type { PushProgress, PushRecord, PushTarget } from "../store/push-record.js";
import { commitTo } from "../testing/commit-to.js";
import { event, first, next } from "../testing/store-checks.js";
import { createBodyCache } from "./body-cache.js";
import { deliverNext } from "./deliver-next.js";
import type { Post, PostOutcome } from "./post-delivery.js";

const key = { taskId: "task", configId: "config" };
const progress: PushProgress = {
  after: 0,
  isTaskDue: false,
  attempts: 0,
  failures: 0,
  hasGivenUp: false,
};
const refused: PostOutcome = { type: "refused", error: "no", isFinal: false };

/** Opens a store with a push config and its task. The task has two events of text. */
async function openStage(about: { target?: Partial<PushTarget>; progress?: object } = {}) {
  const store = openMemoryStore();
  const vault = createSecretVault();
  await commitTo(store, [first([1, 2])]);
  const target: PushTarget = {
    url: "https://hooks.example/",
    version: "1.0",
    developmentTool: true,
    session: true,
    allEvents: false,
    ...about.target,
  };
  const push: PushRecord = {
    ...key,
    contextId: "context",
    revision: "1",
    target: sealTarget(target, key, vault),
    progress: { ...progress, ...about.progress },
  };
  await store.savePush(push, { maxPerTask: 9 });
  const time = { ms: Date.parse("2026-01-01T00:00:00.000Z") };
  const posts: Post[] = [];
  const abort = new AbortController();
  const stage = {
    store,
    vault,
    time,
    posts,
    abort,
    answer: async (): Promise<PostOutcome> => ({ type: "accepted" }),
    /** Adds the end of the turn, which every config delivers. */
    async end() {
      const ended = { ...event(3), kind: "STATE_CHANGE" as const, state: "completed" as const };
      await commitTo(store, [{ ...next([]), events: [{ position: 3, event: ended }] }]);
    },
    stored: async () => (await store.listPushes("task"))[0]?.progress,
    deliver: () =>
      deliverNext(
        { key, signal: abort.signal, onRead() {} },
        {
          store,
          vault,
          uris,
          dialects: createDialects(uris),
          clock: { now: () => new Date(time.ms), elapsedMs: () => time.ms },
          retry: { baseMs: 1_000, maxMs: 1_000, maxFailures: 3 },
          claimMs: 1_000,
          bodies: createBodyCache(),
          poster: {
            async post(post) {
              posts.push(post);
              return await stage.answer();
            },
            close() {},
          },
        },
      ),
  };
  return stage;
}

test("events that a receiver does not want are skipped once, and not read again [RFC-03]", async () => {
  const { deliver, stored, posts, store } = await openStage();

  expect(await deliver()).toEqual({ type: "nothing" });

  expect(await stored()).toEqual({ ...progress, after: 2 });
  expect(posts).toEqual([]);
  store.readEvents = () => Promise.reject(new Error("read again"));
  expect(await deliver()).toEqual({ type: "nothing" });
});

test("a call is recorded before it starts, and its result and duration after it [RFC-03]", async () => {
  const stage = await openStage();
  await stage.end();
  const during: unknown[] = [];
  stage.answer = async () => {
    during.push(await stage.stored());
    stage.time.ms += 250;
    return { type: "accepted" };
  };

  const result = await stage.deliver();

  expect(during).toEqual([{ ...progress, attempts: 1 }]);
  expect(result).toMatchObject({ type: "called", outcome: { type: "accepted" }, ms: 250 });
  expect(await stage.stored()).toEqual({ ...progress, after: 3 });
  expect(stage.posts.map(({ headers }) => headers["X-DT-Attempt"])).toEqual(["1"]);
});

test("a refused call is repeated after the wait that the receiver asks for [RFC-03]", async () => {
  const stage = await openStage();
  await stage.end();
  stage.answer = async () => ({ ...refused, retryAfterMs: 60_000 });

  expect(await stage.deliver()).toMatchObject({ type: "called", outcome: { type: "refused" } });
  expect(await stage.deliver()).toEqual({ type: "nothing" });

  expect(await stage.stored()).toEqual({
    ...progress,
    attempts: 1,
    failures: 1,
    lastError: "no",
    nextAttemptAt: "2026-01-01T00:01:00.000Z",
  });
  expect(stage.posts).toHaveLength(1);
});

test("no result is stored after a stale connection or an aborted call", async () => {
  const stage = await openStage();
  await stage.end();
  stage.answer = async () => ({ type: "stale" });
  const stale = await stage.deliver();
  stage.answer = async () => {
    stage.abort.abort();
    return refused;
  };
  const aborted = await stage.deliver();
  const later = await stage.deliver();

  expect([stale, aborted, later]).toEqual([
    { type: "stale" },
    { type: "nothing" },
    { type: "nothing" },
  ]);
  expect(stage.posts).toHaveLength(2);
  expect(await stage.stored()).toEqual({ ...progress, attempts: 2 });
});

test("the result of a call is not stored if the config was deleted meanwhile", async () => {
  const stage = await openStage();
  await stage.end();
  stage.answer = async () => {
    await stage.store.deletePush(key);
    return refused;
  };

  expect(await stage.deliver()).toEqual({ type: "nothing" });
  expect(await stage.deliver()).toEqual({ type: "nothing" });
  expect(await stage.stored()).toBeUndefined();
});

test("a config of a guest is deleted when the guest has lost access to the session [TEAM-01]", async () => {
  const stage = await openStage({ target: { user: "bob" } });
  await stage.end();
  const grant = {
    id: "g",
    contextId: "context",
    user: "bob",
    role: "observe",
    digest: "",
    linkId: "",
    createdAt: "2026-01-01T00:00:00.000Z",
    expiresAt: "2026-01-02T00:00:00.000Z",
  } as const;
  await stage.store.createGrant(grant, { maxPerSession: 9 });
  const allowed = await stage.deliver();
  await stage.store.revokeGrant(grant, "2026-01-01T00:00:00.000Z");

  expect(allowed.type).toBe("called");
  expect(await stage.deliver()).toEqual({ type: "nothing" });
  expect(await stage.stored()).toBeUndefined();
  expect(stage.posts).toHaveLength(1);
});

test("a config whose secret is lost is given up, because its receiver could not trust a call [SEC-05]", async () => {
  const stage = await openStage({ target: { token: "secret" } });
  await stage.end();
  stage.vault.forget('push:["task","config"]');

  expect(await stage.deliver()).toMatchObject({
    type: "called",
    outcome: {
      type: "refused",
      error: expect.stringMatching(
        /^the secret of this config was kept in memory only.*; set the config again$/,
      ),
    },
  });
  expect(stage.posts).toEqual([]);
  expect(await stage.stored()).toMatchObject({ hasGivenUp: true });
});

test("a receiver gets the token of its config [RFC-03]", async () => {
  const stage = await openStage({ target: { token: "secret" } });
  await stage.end();

  await stage.deliver();

  expect(Object.values(stage.posts[0]?.headers ?? {})).toContain("secret");
});

test("an attempt that another instance makes now is reported as claimed [SRV-27]", async () => {
  const stage = await openStage({ progress: { isTaskDue: true } });
  const [push] = await stage.store.listPushes("task");
  stage.store.notePush = async () => false;

  const claimed = await stage.deliver();
  let reads = 0;
  stage.store.listPushes = async () => {
    reads += 1;
    return push === undefined ? [] : [{ ...push, revision: String(reads) }];
  };
  const changed = await stage.deliver();

  expect([claimed, changed]).toEqual([{ type: "claimed" }, { type: "nothing" }]);
  expect(stage.posts).toEqual([]);
});
