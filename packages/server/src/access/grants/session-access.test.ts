import type { Caller, Role } from "@dt/schema";
import { expect, test } from "vitest";
import type { GrantKey, GrantRecord } from "../../store/grant-store.js";
import { createSessionAccess } from "./session-access.js";

const session = { contextId: "c", owner: "ada" };
const bob: Caller = { user: "bob", name: "Bob", role: "approve", credential: "token:1" };

/** Opens an access whose only grant is Bob's. A test can take the grant and the token away. */
function openAccess(role: Role = "approve") {
  const state = { hasGrant: true, isTokenAlive: true, grantId: "1" };
  const ended: GrantKey[] = [];
  const faults: unknown[] = [];
  const findGrants = async (keys: readonly GrantKey[]) =>
    state.hasGrant ? keys.map((key) => ({ ...key, role, id: state.grantId }) as GrantRecord) : [];
  const access = createSessionAccess({
    store: { findGrants },
    clock: { now: () => new Date(0), elapsedMs: () => 0 },
    isCredentialAlive: () => state.isTokenAlive,
    onEnded: (key) => ended.push(key),
    onFault: (reason) => faults.push(reason),
    checkMs: 1,
  });
  return { access, state, ended, faults, [Symbol.dispose]: access.close };
}

test("the agent gets an owner unchanged, and a guest with the role in the session [TEAM-01]", async () => {
  using stage = openAccess("prompt");
  const ada: Caller = { ...bob, user: "ada" };

  expect(await stage.access.toSessionCaller(session, ada)).toBe(ada);
  expect(await stage.access.toSessionCaller(session, bob)).toMatchObject({
    user: "bob",
    role: "prompt",
  });
  stage.state.hasGrant = false;
  expect(await stage.access.toSessionCaller(session, bob)).toBeUndefined();
});

test("the credential of a guest, and thereby a mode, ends with the token or with the grant", async () => {
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

test("a watched grant that ends aborts its signal with the reason, unless the call is over", async () => {
  using stage = openAccess();
  const key = { contextId: "c", user: "bob" };
  const over = new AbortController();
  const signal = stage.access.watch(key, over.signal);

  stage.state.hasGrant = false;

  await expect.poll(() => signal.aborted).toBe(true);
  expect(signal.reason).toMatchObject({ code: "forbidden" });
  expect(stage.faults).toEqual([]);
});

test("credentials that only look like those of guests belong to nobody else", () => {
  using stage = openAccess();
  stage.state.isTokenAlive = false;

  for (const credential of ["guest:", "guest:[", 'guest:["c","bob"]', "guest:[1,2,3]", "token:1"]) {
    expect(stage.access.isCredentialAlive(credential)).toBe(false);
  }
});

test("a mode that a guest has set ends with its grant, even if the owner grants a role again [SEC-10]", async () => {
  using stage = openAccess();
  const before = await stage.access.toSessionCaller(session, bob);

  stage.state.grantId = "2";
  const after = await stage.access.toSessionCaller(session, bob);

  expect(after?.credential).not.toBe(before?.credential);
  expect(stage.access.isCredentialAlive(before?.credential ?? "")).toBe(false);
  expect(stage.access.isCredentialAlive(after?.credential ?? "")).toBe(true);
});
