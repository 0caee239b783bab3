import { expect, onTestFinished, test, vi } from "vitest";
import { createRepeatedCheck } from "./repeated-check.js";

/** Opens a check that runs every second. A test ends each run. */
function openCheck() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const stage = {
    isNeeded: true,
    runs: [] as ((fault?: Error) => void)[],
    faults: [] as unknown[],
  };
  const check = createRepeatedCheck({
    intervalMs: 1_000,
    check: () =>
      new Promise<void>((resolve, reject) => {
        stage.runs.push((fault) => (fault === undefined ? resolve() : reject(fault)));
      }),
    isNeeded: () => stage.isNeeded,
    onFault: (reason) => stage.faults.push(reason),
  });
  return Object.assign(stage, {
    check,
    async pass(ms: number) {
      await vi.advanceTimersByTimeAsync(ms);
      return stage.runs.length;
    },
  });
}

test("a check runs an interval after its start, and again an interval after its end", async () => {
  const { check, runs, pass } = openCheck();
  check.start();
  check.start();

  const counts = [await pass(999), await pass(1)];
  check.start();
  counts.push(await pass(5_000));
  runs[0]?.();
  counts.push(await pass(999), await pass(1));

  expect(counts).toEqual([0, 1, 1, 1, 2]);
});

test("a check that is no longer needed is not repeated until the next start", async () => {
  const stage = openCheck();
  stage.check.start();
  await stage.pass(1_000);
  stage.isNeeded = false;
  stage.runs[0]?.();

  const idle = await stage.pass(5_000);
  stage.check.start();

  expect([idle, await stage.pass(1_000)]).toEqual([1, 2]);
});

test("a check that fails is reported and repeated", async () => {
  const stage = openCheck();
  const fault = new Error("no disk");
  stage.check.start();
  await stage.pass(1_000);

  stage.runs[0]?.(fault);

  expect(await stage.pass(1_000)).toBe(2);
  expect(stage.faults).toEqual([fault]);
});

test("a closed check does not run, whether it was planned, running or started later", async () => {
  const planned = openCheck();
  planned.check.start();
  planned.check.close();
  planned.check.start();
  const counts = [await planned.pass(5_000)];
  const running = openCheck();
  running.check.start();
  await running.pass(1_000);
  running.check.close();
  running.runs[0]?.();
  counts.push(await running.pass(5_000));

  expect(counts).toEqual([0, 1]);
  expect(vi.getTimerCount()).toBe(0);
});
