import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createWorkClock } from "./work-clock.js";

function openClock(maxMs = 60_000) {
  let time = 1_000;
  let limitCalls = 0;
  const clock = createWorkClock({
    now: () => time,
    maxMs,
    onLimit: () => {
      limitCalls += 1;
    },
  });
  return {
    clock,
    limitCalls: () => limitCalls,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test("the elapsed time includes only measured work, and counts parallel work once", async () => {
  const { clock, pass } = openClock();
  const [one, other] = [createGate(), createGate()];
  pass(500);
  expect(clock.elapsedMs()).toBe(0);

  const first = clock.measure(() => one.opened);
  pass(10);
  const second = clock.measure(() => other.opened);
  pass(20);
  expect(clock.elapsedMs()).toBe(30);
  one.open();
  await first;
  pass(30);
  other.open();
  await second;
  pass(1_000);

  expect(clock.elapsedMs()).toBe(60);
  await clock.measure(async () => pass(5));
  expect(clock.elapsedMs()).toBe(65);
});

test("the elapsed time includes a pause inside measured work only if other work is running", async () => {
  const { clock, pass } = openClock();
  await clock.measure(async () => {
    pass(10);
    await clock.pause(async () => pass(1_000));
    pass(20);
  });
  expect(clock.elapsedMs()).toBe(30);

  const gate = createGate();
  const beside = clock.measure(() => gate.opened);
  await clock.measure(() => clock.pause(async () => pass(5)));
  gate.open();
  await beside;

  expect(clock.elapsedMs()).toBe(35);
});

test("work that throws is measured, and its error is rethrown", async () => {
  const { clock, pass } = openClock();

  await expect(
    clock.measure(async () => {
      pass(7);
      throw new Error("broken");
    }),
  ).rejects.toThrow("broken");

  expect(clock.elapsedMs()).toBe(7);
  expect(await clock.measure(async () => "done")).toBe("done");
});

describe("the limit of the working time", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("the clock reports the limit of the working time only while work is running", async () => {
    const { clock, limitCalls } = openClock(5);
    const gate = createGate();
    await clock.measure(async () => {});
    vi.advanceTimersByTime(60_000);
    expect(limitCalls()).toBe(0);

    const measured = clock.measure(() => gate.opened);
    vi.advanceTimersByTime(4);
    expect(limitCalls()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(limitCalls()).toBe(1);
    gate.open();
    await measured;

    expect(vi.getTimerCount()).toBe(0);
  });
});

test("the timer of the working-time limit does not keep a process alive", async () => {
  const { clock } = openClock();
  const gate = createGate();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();

  const measured = clock.measure(() => gate.opened);
  const during = timers();
  gate.open();
  await measured;

  expect(during).toBe(before);
});
