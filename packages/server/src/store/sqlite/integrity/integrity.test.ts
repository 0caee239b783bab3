import { expect, onTestFinished, test, vi } from "vitest";
import type { StoreFault } from "../../store-fault.js";
import { createIntegrity } from "./integrity.js";

const sqliteError = (message: string) =>
  Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR" });

/** Creates the guard of a database. A test decides whether writes fail. */
function openStage() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const faults: StoreFault[] = [];
  const steps: string[] = [];
  const disk = { isLocked: false };
  const integrity = createIntegrity({
    file: "/store.db",
    watch: { check: () => void steps.push("check"), rethrow: () => void steps.push("rethrow") },
    tryWrite() {
      steps.push("try");
      if (disk.isLocked) throw sqliteError("database is locked");
    },
    onFault: (fault) => faults.push(fault),
  });
  return { integrity, faults, steps, disk };
}

/** Creates a scan of two slices, which are recorded in `seen`. After that, it throws `failure` if given. */
function* countSlices(seen: string[], failure?: Error): Generator<void> {
  for (const name of ["first", "second"]) {
    seen.push(name);
    yield;
  }
  if (failure !== undefined) throw failure;
}

test("a scan pauses between its slices, and ends after the last slice or when the guard is closed", () => {
  const { integrity, faults } = openStage();
  const whole: string[] = [];
  const closed: string[] = [];

  integrity.startScan(countSlices(whole));
  vi.advanceTimersByTime(9);
  const before = [...whole];
  vi.advanceTimersByTime(100);
  const timers = vi.getTimerCount();
  integrity.startScan(countSlices(closed));
  integrity.close();
  vi.advanceTimersByTime(100);

  expect([before, whole, closed]).toEqual([["first"], ["first", "second"], ["first"]]);
  expect([timers, vi.getTimerCount()]).toEqual([0, 0]);
  expect(faults).toEqual([]);
});

test("a store becomes read-only and reports it once when a scan finds a damaged page", () => {
  const { integrity, faults } = openStage();
  const malformed = sqliteError("malformed database schema\n (events)");
  const message =
    "/store.db is damaged or cannot be read (malformed database schema (events)); nothing more is written to it; restore a backup";

  integrity.startScan(countSlices([], malformed));
  vi.advanceTimersByTime(100);
  const damaged = expect.objectContaining({ kind: "store-damaged", message });

  expect(() => integrity.check()).toThrow(damaged);
  expect(() => integrity.write(() => {})).toThrow(damaged);
  expect(() => integrity.append(() => {}, false)).toThrow(damaged);
  expect(() =>
    integrity.read(() => {
      throw malformed;
    }),
  ).toThrow(damaged);
  expect(integrity.read(() => "readable")).toBe("readable");
  expect(faults).toMatchObject([{ kind: "store-damaged", cause: malformed }]);
});

test("after a failed write, each check tries to write until a write succeeds", () => {
  const { integrity, steps, disk } = openStage();
  const locked = sqliteError("database is locked");
  const fail = (error: Error) => () => {
    throw error;
  };

  integrity.check();
  expect(() => integrity.append(fail(new Error("a wrong commit")), true)).toThrow("a wrong commit");
  integrity.check();
  expect(steps).toEqual(["check", "check", "check"]);
  disk.isLocked = true;
  expect(() => integrity.append(fail(locked), false)).toThrow(locked);
  expect(() => integrity.check()).toThrow("database is locked");
  disk.isLocked = false;
  integrity.check();
  integrity.check();

  expect(steps.slice(3)).toEqual([
    "rethrow",
    "check",
    "check",
    "try",
    "check",
    "check",
    "try",
    "check",
  ]);
});
