import type { Caller, Role } from "@dt/schema";
import { expect, onTestFinished, test, vi } from "vitest";
import type { GrantKey, GrantRecord } from "../../store/grant-store.js";
import { createSessionAccess } from "./session-access.js";

const session = { contextId: "c", owner: "ada" };
const bob: Caller = { user: "bob", name: "Bob", role: "approve", credential: "token:1" };

/** Opens an access whose only grant is Bob's. A test can take the grant and the token away. */
function openAccess(role: Role = "approve") {
  const state = { hasGrant: true, isTokenAlive: true, grantId: "1", isBroken: false };
  const ended: GrantKey[] = [];
  const faults: unknown[] = [];
  const time = { elapsedMs: 0 };
  const asked: (readonly GrantKey[])[] = [];
  const findGrants = async (keys: readonly GrantKey[]) => {
    asked.push(keys);
    if (state.isBroken) throw new Error("no disk");
    if (!state.hasGrant) return [];
    return keys.map((key) => ({ ...key, role, id: state.grantId }) as GrantRecord);
  };
  const access = createSessionAccess({
    store: { findGrants, hadGrant: async ({ user }) => user === "bob" },
    clock: { now: () => new Date(0), elapsedMs: () => time.elapsedMs },
    isCredentialAlive: () => state.isTokenAlive,
    onEnded: (key) => ended.push(key),
    onFault: (reason) => faults.push(reason),
    checkMs: 1,
  });
  return { access, state, time, asked, ended, faults, [Symbol.dispose]: access.close };
}

test("the agent of a session gets guests with their role in the session, and the owner unchanged [TEAM-01]", async () => {
  using stage = openAccess("prompt");
  const ada: Caller = { ...bob, user: "ada" };

  expect(await stage.access.toSessionCaller(session, ada)).toBe(ada);
  expect(await stage.access.toSessionCaller(session, bob)).toMatchObject({
    user: "bob",
    role: "prompt",
  });
});

test("a former guest learns that the access has ended, and a stranger learns nothing [TEAM-01]", async () => {
  using stage = openAccess("prompt");
  stage.state.hasGrant = false;
  const { roleOn, toSessionCaller } = stage.access;
  const ended = {
    code: "forbidden",
    message: "your access to this session has ended; ask its owner to share it again",
  };

  await expect(toSessionCaller(session, bob)).rejects.toMatchObject(ended);
  await expect(roleOn(session, bob)).rejects.toMatchObject(ended);
  expect(await toSessionCaller(session, { ...bob, user: "eve" })).toBeUndefined();
  expect(await roleOn(session, { ...bob, user: "eve" })).toBeUndefined();
});

test("the credential of a guest ends with the guest's token or with the grant", async () => {
  using stage = openAccess();
  const { credential = "" } = (await stage.access.toSessionCaller(session, bob)) ?? {};
  const isAlive = () => stage.access.isCredentialAlive(credential);

  expect([credential === bob.credential, isAlive()]).toEqual([false, true]);
  stage.state.isTokenAlive = false;
  expect(isAlive()).toBe(false);
  stage.state.isTokenAlive = true;
  expect(isAlive()).toBe(true);
  stage.state.hasGrant = false;
  await expect.poll(isAlive).toBe(false);
  expect(stage.ended).toEqual([{ contextId: "c", user: "bob" }]);
});

test("the signal of a watched guest aborts with an error for the guest when the grant ends", async () => {
  using stage = openAccess();
  const key = { contextId: "c", user: "bob" };
  const over = new AbortController();
  const signal = stage.access.watch(key, over.signal);

  stage.state.hasGrant = false;

  await expect.poll(() => signal.aborted).toBe(true);
  expect(signal.reason).toMatchObject({ code: "forbidden" });
  expect(stage.faults).toEqual([]);
});

test("a credential that only looks like the credential of a guest is not valid", () => {
  using stage = openAccess();
  stage.state.isTokenAlive = false;

  for (const credential of ["guest:", "guest:[", 'guest:["c","bob"]', "guest:[1,2,3]", "token:1"]) {
    expect(stage.access.isCredentialAlive(credential)).toBe(false);
  }
});

test("the credential of a guest ends with its grant, even if the guest gets another grant [SEC-10]", async () => {
  using stage = openAccess();
  const before = await stage.access.toSessionCaller(session, bob);

  stage.state.grantId = "2";
  const after = await stage.access.toSessionCaller(session, bob);

  expect(after?.credential).not.toBe(before?.credential);
  expect(stage.access.isCredentialAlive(before?.credential ?? "")).toBe(false);
  expect(stage.access.isCredentialAlive(after?.credential ?? "")).toBe(true);
});

/** Replaces the timers of a test, so that the test decides when grants are checked. */
function useFakeTimers() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

const key = { contextId: "c", user: "bob" };
const IDLE_MS = 30 * 60_000;

test("a closed access no longer reads the store, even if a check was under way", async () => {
  useFakeTimers();
  using stage = openAccess();
  stage.access.watch(key, new AbortController().signal);

  vi.advanceTimersByTime(1);
  stage.access.close();
  await vi.advanceTimersByTimeAsync(1_000);

  expect(stage.asked).toEqual([[key]]);
});

test("a guest is watched until half an hour after the end of their last call", async () => {
  useFakeTimers();
  using stage = openAccess();
  const eve = { contextId: "c", user: "eve" };
  const gone = new AbortController();
  stage.access.watch(key, gone.signal);
  stage.access.watch(eve, new AbortController().signal);
  const watched = async () => {
    stage.asked.length = 0;
    await vi.advanceTimersByTimeAsync(1);
    return stage.asked.flat();
  };

  stage.time.elapsedMs = IDLE_MS;
  const whileOpen = await watched();
  gone.abort();
  stage.time.elapsedMs += IDLE_MS - 1;
  const almostIdle = [await watched(), await watched()];
  stage.time.elapsedMs += 1;
  await watched();

  expect(whileOpen).toEqual([key, eve]);
  expect(almostIdle).toEqual([
    [key, eve],
    [key, eve],
  ]);
  expect(await watched()).toEqual([eve]);
  expect(stage.ended).toEqual([]);
});

test("a check that fails is reported, ends nobody's access, and is repeated", async () => {
  useFakeTimers();
  using stage = openAccess();
  const signal = stage.access.watch(key, new AbortController().signal);

  stage.state.isBroken = true;
  await vi.advanceTimersByTimeAsync(1);
  const whileBroken = signal.aborted;
  stage.state.isBroken = false;
  stage.state.hasGrant = false;
  await vi.advanceTimersByTimeAsync(1);

  expect(stage.faults).toMatchObject([{ message: "no disk" }]);
  expect([whileBroken, signal.aborted]).toEqual([false, true]);
  expect(signal.reason).toMatchObject({
    message: "your access to this session has ended; ask its owner to share it again",
  });
  expect(stage.ended).toEqual([key]);
});

test("one check watches two calls of a guest", async () => {
  useFakeTimers();
  using stage = openAccess();

  const signals = [1, 2].map(() => stage.access.watch(key, new AbortController().signal));
  await vi.advanceTimersByTimeAsync(1);

  expect(signals[0]).toBe(signals[1]);
  expect(stage.asked).toEqual([[key]]);
});

test("an owner's role needs no grant, and a stranger without a grant has no role", async () => {
  using stage = openAccess("prompt");

  expect(await stage.access.roleOn(session, { user: "ada", role: "approve" })).toBe("approve");
  expect(stage.asked).toEqual([]);
  expect(await stage.access.roleOn(session, bob)).toBe("prompt");
  stage.state.hasGrant = false;
  expect(await stage.access.roleOn(session, { ...bob, user: "eve" })).toBeUndefined();
});

test("a guest who sent no credential gets none", async () => {
  using stage = openAccess("prompt");
  const { credential: _, ...anonymous } = bob;

  expect(await stage.access.toSessionCaller(session, anonymous)).toEqual({
    ...anonymous,
    role: "prompt",
  });
});

test("the credential of a guest with several grants names the grant with the highest role", async () => {
  const grants = (["observe", "approve", "prompt"] as const).map(
    (role) => ({ ...key, role, id: role }) as GrantRecord,
  );
  const access = createSessionAccess({
    store: { findGrants: async () => grants, hadGrant: async () => false },
    clock: { now: () => new Date(0), elapsedMs: () => 0 },
    isCredentialAlive: () => true,
    onFault: () => {},
  });

  const caller = await access.toSessionCaller(session, bob);

  expect(caller).toMatchObject({ role: "approve" });
  expect(caller?.credential).toContain("approve");
  expect(access.isCredentialAlive(caller?.credential ?? "")).toBe(true);
  access.close();
});

test("a guest whose requests have ended is watched for half an hour after the last one", async () => {
  useFakeTimers();
  using stage = openAccess();
  stage.time.elapsedMs = IDLE_MS;
  await stage.access.toSessionCaller(session, bob);
  const watched = async () => {
    stage.asked.length = 0;
    await vi.advanceTimersByTimeAsync(1);
    return stage.asked.flat();
  };

  const early = [await watched(), await watched()];
  stage.time.elapsedMs += IDLE_MS;
  const last = [await watched(), await watched()];

  expect([early, last]).toEqual([
    [[key], [key]],
    [[key], []],
  ]);
});
