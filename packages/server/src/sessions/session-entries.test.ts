import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSessionEntries } from "./session-entries.js";
import type { SessionHost } from "./session-host.js";

/** Creates a promise that a test settles. */
function openGate<TValue>() {
  let open: (value: TValue) => void = () => {};
  let fail: (reason: Error) => void = () => {};
  const opened = new Promise<TValue>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { opened, open: (value: TValue) => open(value), fail: (reason: Error) => fail(reason) };
}

function openStage() {
  const steps: string[] = [];
  const clock = { ms: 0 };
  const entries = createSessionEntries({
    clock: { elapsedMs: () => clock.ms },
    onReleased: (contextId) => void steps.push(`released ${contextId}`),
    onFault: (reason) => void steps.push(`fault ${(reason as Error).message}`),
  });
  const hostOf = (name: string, close: () => Promise<void> = async () => {}) =>
    ({
      close: async () => {
        await close();
        steps.push(`closed ${name}`);
      },
    }) as unknown as SessionHost;
  return { entries, steps, clock, hostOf };
}

test("an entry has the time of its last use, and has a host when its session is open", async () => {
  const { entries, clock, hostOf } = openStage();
  clock.ms = 5;
  const host = hostOf("a");
  const entry = entries.open("a", async () => host);
  const before = [entries.size, entries.hosts().length, entry.usedAt];

  await entry.opening;
  clock.ms = 9;
  entries.touch("a");
  entries.touch("b");

  expect(before).toEqual([1, 0, 5]);
  expect([...entries.all()]).toEqual([["a", entry]]);
  expect([entries.hosts(), entries.get("a"), entry.usedAt]).toEqual([[host], entry, 9]);
});

test("the entry of a session is removed if the session does not exist or cannot be opened", async () => {
  const { entries } = openStage();

  await entries.open("a", async () => undefined).opening;
  const failed = entries.open("b", () => Promise.reject(new Error("damaged"))).opening;
  await expect(failed).rejects.toThrow("damaged");

  expect(entries.size).toBe(0);
});

test("a newer entry of a session stays when the opening of the older entry fails", async () => {
  const { entries, hostOf } = openStage();
  const first = openGate<SessionHost>();
  entries.open("a", () => first.opened);
  const gone = entries.release("a");

  const next = entries.open("a", async () => hostOf("a"));
  first.fail(new Error("damaged"));
  await gone;
  await next.opening;

  expect(entries.get("a")).toBe(next);
});

test("a session is opened again only after all its releases have ended", async () => {
  const { entries, steps, hostOf } = openStage();
  const [one, other] = [openGate<void>(), openGate<void>()];
  await entries.open("a", async () => hostOf("a")).opening;
  const releases = [
    entries.release("a", () => one.opened),
    entries.release("a", () => other.opened),
  ];

  one.open();
  await releases[0];
  const { opening } = entries.open("a", async () => {
    steps.push("opened again");
    return hostOf("a");
  });
  await setImmediate();
  const before = [...steps];
  other.open();
  await opening;

  expect(before).toEqual(["closed a", "released a", "released a"]);
  expect(steps.at(-1)).toBe("opened again");
});

test("a host that fails to close is reported, and its session is released", async () => {
  const { entries, steps, hostOf } = openStage();
  await entries.open("a", async () => hostOf("a", () => Promise.reject(new Error("stuck"))))
    .opening;

  await entries.release("a", async () => void steps.push("deleted"));

  expect(steps).toEqual(["fault stuck", "released a", "deleted"]);
});

test("releaseAll closes sessions that are still opening, and waits for those that are closing", async () => {
  const { entries, steps, hostOf } = openStage();
  const [closing, opening] = [openGate<void>(), openGate<SessionHost>()];
  await entries.open("a", async () => hostOf("a", () => closing.opened)).opening;
  await entries.open("b", async () => hostOf("b")).opening;
  entries.open("c", () => opening.opened);
  void entries.release("a");

  const all = entries.releaseAll();
  closing.open();
  opening.open(hostOf("c"));
  await all;

  expect(entries.size).toBe(0);
  expect(steps.filter((step) => step.startsWith("closed")).sort()).toEqual([
    "closed a",
    "closed b",
    "closed c",
  ]);
});
