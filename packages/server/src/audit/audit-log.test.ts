import type { IncomingMessage } from "node:http";
import { ProtocolError } from "@dt/schema";
import { expect, onTestFinished, test, vi } from "vitest";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import type { LogEvent, StoredSession } from "../store/session-store.js";
import { createAuditBook } from "./audit-book.js";
import { createAuditLog, recordAudit } from "./audit-log.js";
import { auditAuthentication, auditSource } from "./audit-requests.js";
import { mergeByTime } from "./merge-by-time.js";
import { type AuditedStore, readAuditLines } from "./read-audit-lines.js";

const NOON = new Date("2026-01-31T12:00:00.000Z");
const CALLER = { user: "ada", name: "ada/laptop", credential: "token:1", role: "admin" } as const;

async function readAll<TItem>(items: AsyncIterable<TItem>): Promise<readonly TItem[]> {
  const all: TItem[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function openLog() {
  const store = openMemoryStore();
  const time = { ms: 0 };
  const faults: unknown[] = [];
  const audit = createAuditLog({
    store,
    clock: { now: () => new Date(NOON.getTime() + time.ms), elapsedMs: () => time.ms },
    onFault: (reason) => faults.push(reason),
  });
  return {
    audit,
    store,
    time,
    faults,
    async lines() {
      await audit.close();
      return await readAll(readAuditLines(store, ""));
    },
  };
}

test("equal refusals within a minute are one record with a count [TEAM-05]", async () => {
  const { audit, time, lines } = openLog();
  const entry = { kind: "refusal", address: "192.0.2.9", detail: "no token" } as const;

  for (let count = 0; count < 1_000; count += 1) audit.record(entry);
  time.ms = 59_000;
  audit.record(entry);
  time.ms = 60_000;
  audit.record(entry);

  expect(await lines()).toEqual([
    {
      at: "2026-01-31T12:00:00.000Z",
      lastAt: "2026-01-31T12:00:59.000Z",
      count: 1_001,
      ...entry,
    },
    { at: "2026-01-31T12:01:00.000Z", ...entry },
  ]);
});

test("a flood of different refusals takes a bounded number of records", () => {
  const book = createAuditBook();

  for (let index = 0; index < 5_000; index += 1) {
    book.add({ kind: "refusal", address: `192.0.2.${index}` }, NOON);
  }
  const records = book.take();

  expect(records).toHaveLength(1_001);
  expect(records.at(-1)).toMatchObject({ kind: "refusal", subject: "others", count: 4_000 });
  expect(book.take()).toEqual([]);
});

test("only the first 200 characters of a client's text are stored", () => {
  const book = createAuditBook();

  book.add({ kind: "refusal", name: "x".repeat(100_000) }, NOON);

  expect(book.take()[0]?.name).toHaveLength(200);
});

test("a sign-in is recorded once an hour for each credential and address [TEAM-05]", async () => {
  const { audit, time, lines } = openLog();

  audit.recordSignIn(CALLER, "192.0.2.7");
  audit.recordSignIn(CALLER, "192.0.2.7");
  audit.recordSignIn(CALLER, "192.0.2.8");
  audit.recordSignIn({ ...CALLER, credential: "token:2" }, undefined);
  time.ms = 3_599_999;
  audit.recordSignIn(CALLER, "192.0.2.7");
  time.ms = 3_600_000;
  audit.recordSignIn(CALLER, "192.0.2.7");

  const found = await lines();
  expect(found.map(({ at, address, user }) => [at.slice(11, 16), user, address])).toEqual(
    expect.arrayContaining([
      ["12:00", "ada", "192.0.2.7"],
      ["12:00", "ada", "192.0.2.8"],
      ["12:00", "ada", undefined],
      ["13:00", "ada", "192.0.2.7"],
    ]),
  );
  expect(found).toHaveLength(4);
});

test("a fault of the store is reported, and closing the audit log succeeds", async () => {
  const { audit, store, faults } = openLog();
  await store.close();

  audit.record({ kind: "refusal" });
  await audit.close();

  expect(faults).toHaveLength(1);
});

test("sources are merged by time, and items with equal times are kept", async () => {
  async function* source(...times: readonly string[]) {
    yield* times.map((at) => ({ at }));
  }

  const merged = await readAll(
    mergeByTime([source("1", "4", "4"), source(), source("2", "3", "5"), source("4")]),
  );

  expect(merged.map(({ at }) => at)).toEqual(["1", "2", "3", "4", "4", "4", "5"]);
});

test("records of one minute are exported in the order in which they happened [TEAM-05]", async () => {
  const { audit, time, lines } = openLog();
  const details = Array.from({ length: 12 }, (_, index) => `refusal ${index}`);
  for (const detail of details) {
    audit.record({ kind: "refusal", detail });
    time.ms += 1_000;
  }

  expect((await lines()).map(({ detail }) => detail)).toEqual(details);
});

test("an audit without entries does not use the store", async () => {
  const { audit, store, faults } = openLog();
  await store.close();

  await audit.close();

  expect(faults).toEqual([]);
});

test("closing the audit waits until everything is stored, and a second close stores nothing twice", async () => {
  const { audit, lines } = openLog();
  audit.record({ kind: "token-created", user: "ada", subject: "ada/laptop", detail: "admin" });

  await Promise.all([audit.close(), audit.close()]);

  expect(await lines()).toEqual([
    {
      at: "2026-01-31T12:00:00.000Z",
      kind: "token-created",
      user: "ada",
      subject: "ada/laptop",
      detail: "admin",
    },
  ]);
});

test("entries are stored about a second after they happen, without a close", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { audit, store } = openLog();
  const count = async () => (await store.readAudit({ since: "", limit: 10 })).length;

  audit.record({ kind: "refusal", detail: "one" });
  await vi.advanceTimersByTimeAsync(999);
  const early = await count();
  await vi.advanceTimersByTimeAsync(1);
  const stored = await count();
  audit.record({ kind: "refusal", detail: "two" });
  await vi.advanceTimersByTimeAsync(1_000);

  expect([early, stored, await count()]).toEqual([0, 1, 2]);
});

test("only equal refusals are merged, and entries of other kinds are never merged", async () => {
  const { audit, time, lines } = openLog();
  const refusal = { kind: "refusal", user: "ada", address: "192.0.2.1", detail: "no" } as const;
  const others = [
    { ...refusal, user: "bob" },
    { ...refusal, name: "phone" },
    { ...refusal, address: "192.0.2.2" },
    { ...refusal, subject: "send" },
    { ...refusal, detail: "never" },
  ];

  for (const entry of [refusal, ...others, refusal]) audit.record(entry);
  for (let count = 0; count < 2; count += 1) {
    audit.record({ kind: "share-created", user: "ada", subject: "c" });
    time.ms += 1;
  }

  const found = await lines();
  expect(found.map(({ kind, count = 1 }) => `${kind} ${count}`).sort()).toEqual([
    ...others.map(() => "refusal 1"),
    "refusal 2",
    "share-created 1",
    "share-created 1",
  ]);
});

test("an empty text is not stored", () => {
  const book = createAuditBook();

  book.add({ kind: "refusal", user: "", detail: "no" }, NOON);

  expect(book.take()).toEqual([
    {
      id: expect.stringMatching(/^2026-01-31T12:00 [0-9a-f]{16}$/),
      kind: "refusal",
      detail: "no",
      firstAt: NOON.toISOString(),
      lastAt: NOON.toISOString(),
      count: 1,
    },
  ]);
});

test("an export has the prompts and answers of sessions, and begins at the given time [TEAM-05]", async () => {
  const { audit, store } = openLog();
  const origin = { principal: "bob", name: "Bob" };
  const at = (second: number) => new Date(NOON.getTime() + second * 1_000).toISOString();
  const prompt = (position: number) => ({
    position,
    event: {
      kind: "USER_PROMPT",
      taskId: "t",
      turn: 1,
      at: at(position),
      messageId: `m${position}`,
      parts: [],
      origin,
    },
  });
  const toolCall = { toolCallId: "call", toolName: "shell", status: "PENDING", input: {} };
  const answered = (position: number, answer: object) => ({
    position,
    event: {
      kind: "TOOL_CALL_UPDATE",
      taskId: "t",
      turn: 1,
      at: at(position),
      toolCall,
      ...answer,
    },
  });
  const answer = { selectedOptionId: "proceed_once", origin };
  const events = [
    ...Array.from({ length: 450 }, (_, index) => prompt(index + 1)),
    answered(451, {}),
    answered(452, { answer }),
    answered(453, { answer: { selectedOptionId: "cancel" } }),
  ] as unknown as readonly LogEvent[];
  const reader: AuditedStore = {
    readAudit: store.readAudit,
    listActive: async () => ["c", "deleted"],
    findSession: async (contextId) =>
      contextId === "c"
        ? ({ contextId: "c", owner: "ada", lastPosition: 453 } as StoredSession)
        : undefined,
    readEvents: async ({ after, limit }) =>
      events.filter(({ position }) => position > after).slice(0, limit),
  };
  audit.record({ kind: "share-created", user: "ada", subject: "c" });
  await audit.close();

  const all = await readAll(readAuditLines(reader, ""));
  const late = await readAll(readAuditLines(reader, at(449)));

  expect(all.map(({ position = 0 }) => position)).toEqual([
    ...Array.from({ length: 451 }, (_, index) => index),
    452,
    453,
  ]);
  const place = { owner: "ada", contextId: "c", taskId: "t" };
  expect(late).toEqual([
    ...[449, 450].map((position) => ({
      at: at(position),
      kind: "prompt",
      user: "bob",
      name: "Bob",
      messageId: `m${position}`,
      position,
      ...place,
    })),
    {
      at: at(452),
      kind: "answer",
      user: "bob",
      name: "Bob",
      tool: "shell",
      toolCallId: "call",
      option: "proceed_once",
      position: 452,
      ...place,
    },
    {
      at: at(453),
      kind: "answer",
      tool: "shell",
      toolCallId: "call",
      option: "cancel",
      position: 453,
      ...place,
    },
  ]);
});

test("an export has every line since a time, even if the clock of its session was set back [TEAM-05]", async () => {
  const { store } = openLog();
  const seconds = [10, 20, 30, 31, 32, 1, 2, 3, 4, 5, 6, 7, 21];
  const events = seconds.map((second, index) => ({
    position: index + 1,
    event: {
      kind: "USER_PROMPT",
      at: new Date(NOON.getTime() + second * 1_000).toISOString(),
      origin: { principal: "bob", name: "Bob" },
    },
  })) as unknown as readonly LogEvent[];
  const reader: AuditedStore = {
    readAudit: store.readAudit,
    listActive: async () => ["c"],
    findSession: async () =>
      ({ contextId: "c", owner: "ada", lastPosition: seconds.length }) as StoredSession,
    readEvents: async ({ after, limit }) =>
      events.filter(({ position }) => position > after).slice(0, limit),
  };

  const lines = await readAll(readAuditLines(reader, "2026-01-31T12:00:20.000Z"));

  expect(lines.map(({ position }) => position)).toEqual([2, 3, 4, 5, 13]);
});

test("an error that denies access is recorded with its address and reason, and every error is thrown [TEAM-05]", async () => {
  const { audit, lines } = openLog();
  const outcomes: unknown[] = [];
  const request = (address: string, forwarded = "") =>
    ({
      headers: { ...(forwarded !== "" && { "x-forwarded-for": forwarded }) },
      socket: { remoteAddress: address },
    }) as unknown as IncomingMessage;
  const authenticate = (reason: unknown, trustsProxy: boolean) =>
    auditAuthentication(
      async () => {
        if (reason !== undefined) throw reason;
        return CALLER;
      },
      { audit, trustsProxy },
    );
  const forbidden = new ProtocolError("forbidden", "no role");
  const busy = new ProtocolError("agent-busy", "later");
  const fault = new Error("broken");

  outcomes.push(await authenticate(undefined, false)(request("192.0.2.1", "192.0.2.2")));
  for (const reason of [forbidden, busy, fault])
    await authenticate(
      reason,
      true,
    )(request("192.0.2.3", "192.0.2.4")).catch((error: unknown) => outcomes.push(error));
  const { headers, socket } = request("192.0.2.5");
  auditSource({ headers, socket }, new ProtocolError("workspace-refused", "elsewhere"), {
    audit,
    trustsProxy: false,
  });
  auditSource({ headers }, new ProtocolError("unauthenticated", "no token"), {
    audit,
    trustsProxy: false,
  });

  expect(outcomes).toEqual([CALLER, forbidden, busy, fault]);
  const found = await lines();
  expect(found.map(({ kind, address, detail, user }) => [kind, address, detail, user])).toEqual(
    expect.arrayContaining([
      ["sign-in", "192.0.2.1", undefined, "ada"],
      ["refusal", "192.0.2.4", "no role", undefined],
      ["refusal", "192.0.2.5", "elsewhere", undefined],
      ["refusal", undefined, "no token", undefined],
    ]),
  );
  expect(found).toHaveLength(4);
});

test("the oldest sign-ins are forgotten and then recorded again, so that memory is bounded", async () => {
  const { audit, lines } = openLog();

  for (let index = 0; index <= 10_000; index += 1)
    audit.recordSignIn({ ...CALLER, credential: `token:${index}` }, "192.0.2.7");
  for (const index of [1, 0])
    audit.recordSignIn({ ...CALLER, credential: `token:${index}` }, "192.0.2.7");

  expect(await lines()).toMatchObject([{ kind: "sign-in", count: 10_002 }]);
});

test("a repeated sign-in is remembered longer than older ones", async () => {
  const { audit, time, lines } = openLog();
  const signIn = (credential: string) => audit.recordSignIn({ ...CALLER, credential }, "192.0.2.7");
  signIn("token:a");
  signIn("token:b");
  time.ms = 3_600_000;
  signIn("token:a");

  for (let index = 0; index < 9_999; index += 1) signIn(`token:${index}`);
  signIn("token:a");
  signIn("token:b");

  expect((await lines()).map(({ count }) => count)).toEqual([2, 10_001]);
});

test("a program without an audit log stores one entry at once [TEAM-05]", async () => {
  const store = openMemoryStore();

  await recordAudit(store, { kind: "token-created", user: "ada", subject: "ada/laptop" }, NOON);

  expect(await readAll(readAuditLines(store, ""))).toEqual([
    { at: NOON.toISOString(), kind: "token-created", user: "ada", subject: "ada/laptop" },
  ]);
});
