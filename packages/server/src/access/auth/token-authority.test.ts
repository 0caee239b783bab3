import { expect, onTestFinished, test, vi } from "vitest";
import { openMemoryStore } from "../../store/memory/open-memory-store.js";
import { createCredentialBook } from "../credential-book.js";
import { issueToken } from "./issue-token.js";
import { createTokenAuthority } from "./token-authority.js";

/** An authority with a memory store, one token, and a clock that the test moves. */
async function openAuthority() {
  const time = { now: Date.parse("2026-01-01T00:00:00.000Z"), elapsedMs: 0 };
  const clock = { now: () => new Date(time.now), elapsedMs: () => time.elapsedMs };
  const store = openMemoryStore();
  const credentials = createCredentialBook(clock);
  const faults: unknown[] = [];
  let uses = 0;
  const noteTokenUse = async (id: string, at: string) => {
    uses += 1;
    await store.noteTokenUse(id, at);
  };
  const asked: (readonly string[])[] = [];
  const findTokens = async (ids: readonly string[]) => {
    asked.push(ids);
    return await store.findTokens(ids);
  };
  const authority = createTokenAuthority({
    store: { findTokens, noteTokenUse },
    credentials,
    clock,
    onFault: (reason) => faults.push(reason),
    checkMs: 1,
  });
  const token = await issueToken(store, {
    user: "ada",
    name: "laptop",
    role: "approve",
    tier: "gold",
    now: clock.now(),
    lifetimeMs: 1_000,
  });
  return {
    ...authority,
    store,
    credentials,
    token,
    time,
    faults,
    /** The ids of each query. */
    asked,
    uses: () => uses,
    [Symbol.dispose]: authority.close,
  };
}

test("a caller has the user, role and tier of the token, and the credential of the token", async () => {
  using authority = await openAuthority();

  const caller = await authority.authenticate(authority.token);

  expect(caller).toEqual({
    user: "ada",
    name: "ada/laptop",
    role: "approve",
    tier: "gold",
    credential: expect.stringMatching(/^token:[0-9a-f]{16}$/),
  });
  expect(authority.credentials.isAlive(caller.credential ?? "")).toBe(true);
});

test("a revoked token ends its credential before the next request, with an error for the user", async () => {
  using authority = await openAuthority();
  const { credential } = await authority.authenticate(authority.token);
  const ended = authority.credentials.findEnd(credential);

  await authority.store.revokeToken({ user: "ada", name: "laptop" }, "2026-01-01T00:00:00.500Z");

  await expect.poll(() => ended?.aborted).toBe(true);
  expect(ended?.reason).toMatchObject({
    code: "unauthenticated",
    message: "the token was revoked; use another one",
  });
  expect(authority.credentials.isAlive(credential ?? "")).toBe(false);
});

test("an expired token is refused, and its credential ends", async () => {
  using authority = await openAuthority();
  const { credential } = await authority.authenticate(authority.token);
  const ended = authority.credentials.findEnd(credential);

  authority.time.now += 1_000;

  await expect(authority.authenticate(authority.token)).rejects.toThrow("the token has expired");
  await expect.poll(() => ended?.aborted).toBe(true);
});

test("the last use of a token is stored at most once a minute", async () => {
  using authority = await openAuthority();

  await authority.authenticate(authority.token);
  await authority.authenticate(authority.token);
  authority.time.elapsedMs += 60_000;
  await authority.authenticate(authority.token);

  expect(authority.uses()).toBe(2);
});

test("one query checks the tokens of all devices", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  using authority = await openAuthority();
  const { now } = authority.time;
  const other = { user: "ada", name: "phone", role: "observe" as const, now: new Date(now) };
  const phone = await issueToken(authority.store, other);
  await authority.authenticate(authority.token);
  await authority.authenticate(phone);
  authority.asked.length = 0;

  await vi.advanceTimersByTimeAsync(1);

  expect(authority.asked).toEqual([[expect.any(String), expect.any(String)]]);
});

test("a closed authority no longer reads the store, even if a check was under way", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  using authority = await openAuthority();
  await authority.authenticate(authority.token);
  authority.asked.length = 0;

  vi.advanceTimersByTime(1);
  authority.close();
  await vi.advanceTimersByTimeAsync(1_000);

  expect(authority.asked).toHaveLength(1);
});

test("a token with another secret, a token without a record and a malformed token are refused", async () => {
  using authority = await openAuthority();
  const { token } = authority;
  const changed = `${token.slice(0, -2)}${token.endsWith("AA") ? "BB" : "AA"}`;

  for (const text of [changed, `dt_0123456789abcdef_${"x".repeat(43)}`]) {
    await expect(authority.authenticate(text)).rejects.toMatchObject({
      code: "unauthenticated",
      message: "the token is not valid; use another one",
    });
  }
  for (const text of ["dt_0123456789abcdef_x", "not a token"]) {
    await expect(authority.authenticate(text)).rejects.toMatchObject({
      code: "unauthenticated",
      message: "the token is malformed; send the whole token as it was printed, from dt_ on",
    });
  }
  expect(authority.uses()).toBe(0);
});

test("a credential ends when its token is no longer in the store", async () => {
  using authority = await openAuthority();
  const { credential } = await authority.authenticate(authority.token);
  const ended = authority.credentials.findEnd(credential);

  authority.store.findTokens = async () => [];

  await expect.poll(() => ended?.aborted).toBe(true);
  expect(ended?.reason).toMatchObject({ message: "the token is not valid; use another one" });
});

test("the last use of a token is stored, and a request is accepted even if this write fails", async () => {
  using authority = await openAuthority();
  await authority.authenticate(authority.token);
  const [record] = await authority.store.listTokens();

  authority.store.noteTokenUse = () => Promise.reject(new Error("read-only"));
  authority.time.elapsedMs += 60_000;
  const caller = await authority.authenticate(authority.token);

  expect(record?.lastUsedAt).toBe("2026-01-01T00:00:00.000Z");
  expect(caller.user).toBe("ada");
  await expect.poll(() => authority.faults).toMatchObject([{ message: "read-only" }]);
});

test("a failed check of tokens is reported, and a later check ends the credential of a revoked token", async () => {
  using authority = await openAuthority();
  const { credential } = await authority.authenticate(authority.token);
  const ended = authority.credentials.findEnd(credential);
  const { findTokens } = authority.store;

  authority.store.findTokens = () => Promise.reject(new Error("no disk"));
  await expect.poll(() => authority.faults.length).toBeGreaterThan(0);
  authority.store.findTokens = findTokens;
  await authority.store.revokeToken({ user: "ada", name: "laptop" }, "2026-01-01T00:00:00.500Z");

  await expect.poll(() => ended?.aborted).toBe(true);
  expect(authority.faults[0]).toMatchObject({ message: "no disk" });
});

test("the caller of a paired device has the name phone, and not device-1/phone", async () => {
  using authority = await openAuthority();
  const now = new Date(authority.time.now);
  const device = { user: "device-1", name: "phone", role: "approve", now } as const;

  const caller = await authority.authenticate(await issueToken(authority.store, device));

  expect(caller).toEqual({
    user: "device-1",
    name: "phone",
    role: "approve",
    credential: expect.stringMatching(/^token:/),
  });
});
