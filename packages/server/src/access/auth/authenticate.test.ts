import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Caller } from "@dt/schema";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Clock, systemClock } from "../../clock.js";
import { createCredentialBook } from "../credential-book.js";
import { type Authenticate, createAuthentication } from "./authenticate.js";

const request = new IncomingMessage(new Socket());
const caller = { user: "ada", name: "ada", role: "admin" } as const;

function openAuthentication(authenticate: Authenticate, clock: Clock = systemClock) {
  const credentials = createCredentialBook(clock);
  return { credentials, run: createAuthentication(authenticate, { clock, credentials }) };
}

test.each([
  ["no user", { ...caller, user: undefined }],
  ["an empty user", { ...caller, user: "" }],
  ["a number as user", { ...caller, user: 7 }],
  ["an unknown role", { ...caller, role: "owner" }],
])("a caller with %s is refused, because callers must not be mixed up", async (_, found) => {
  const { run } = openAuthentication(() => found as unknown as Caller);

  await expect(run(request)).rejects.toThrow("expected a caller with a user");
});

test.each([
  ["a time in the past", new Date(0)],
  ["a date that is not valid", new Date(Number.NaN)],
])("a caller whose identity ends at %s is refused", async (_, expiresAt) => {
  const { run } = openAuthentication(() => ({ ...caller, expiresAt }));

  await expect(run(request)).rejects.toThrow("the token has expired");
});

test("a credential that outlasts the longest possible timer still ends on time", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const dayMs = 86_400_000;
  const expiresAt = new Date(Date.now() + 40 * dayMs);
  const clock = { now: () => new Date(), elapsedMs: () => Date.now() };
  const { run, credentials } = openAuthentication(() => ({ ...caller, expiresAt }), clock);
  const { credential } = await run(request);
  const ended = credentials.findEnd(credential);

  vi.advanceTimersByTime(39 * dayMs);
  expect(ended?.aborted).toBe(false);
  vi.advanceTimersByTime(dayMs);
  expect(ended?.aborted).toBe(true);
});

test("a request waits for its authentication, and is refused if that takes too long", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const slow = openAuthentication(
    () => new Promise((resolve) => setTimeout(() => resolve(caller), 29_000)),
  );
  const endless = openAuthentication(() => new Promise(() => {}));
  const found = slow.run(request);
  const refused = expect(endless.run(request)).rejects.toThrow("the authentication takes too long");

  await vi.advanceTimersByTimeAsync(29_000);
  expect(await found).toEqual(caller);
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
});

test("requests with one token share its credential, which ends once", async () => {
  const clock = { now: () => new Date(0), elapsedMs: () => 0 };
  const adopted: string[] = [];
  const ends = new Map<string, AbortSignal>();
  const credentials = {
    adopt(credential: string, ended: AbortSignal) {
      adopted.push(credential);
      ends.set(credential, ended);
    },
    findEnd: (credential: string | undefined) => ends.get(credential ?? ""),
  };
  const expiresAt = new Date(60_000);
  const found = { current: { ...caller, expiresAt } as Caller };
  const run = createAuthentication(() => found.current, { clock, credentials });

  const callers = [await run(request), await run(request)];
  found.current = { ...caller, expiresAt, credential: "token:1" } as Caller;
  callers.push(await run(request));

  const own = "ada until 1970-01-01T00:01:00.000Z";
  expect(callers.map(({ credential }) => credential)).toEqual([own, own, "token:1"]);
  expect(adopted).toEqual([own, "token:1"]);
});

test("an authentication without a promise, a caller or a name is handled, and other errors stay", async () => {
  const { name: _, ...nameless } = caller;
  const outcomeOf = (authenticate: () => unknown) =>
    openAuthentication(authenticate as Authenticate)
      .run(request)
      .catch((reason: unknown) => reason);
  const broken = new Error("broken");

  expect(await outcomeOf(() => nameless)).toEqual({ ...caller, name: "ada" });
  for (const nobody of [undefined, null]) {
    expect(await outcomeOf(() => nobody)).toMatchObject({ code: "unauthenticated" });
  }
  expect(await outcomeOf(() => Promise.reject(broken))).toBe(broken);
  expect(await outcomeOf(() => Promise.reject("no"))).toMatchObject({
    message: "authenticate failed",
    cause: "no",
  });
});
