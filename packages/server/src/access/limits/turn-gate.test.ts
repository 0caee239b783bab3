import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { createTurnGate } from "./turn-gate.js";

const limits = { maxTurns: 2, maxTurnsPerOwner: 2, maxWaitingPrompts: 2, maxWaitMs: 60_000 };

/** Creates a function that enters the gate. Each session is added to `entered` when the gate admits it. */
function openEntrance(gate: ReturnType<typeof createTurnGate>) {
  const entered: string[] = [];
  const enter = async (contextId: string, owner = "alice") => {
    await gate.enter(contextId, owner);
    entered.push(contextId);
  };
  return { entered, enter };
}

test("prompts beyond the limit of turns wait and are admitted in order of arrival [SRV-10]", async () => {
  const gate = createTurnGate(limits);
  const { entered, enter } = openEntrance(gate);
  await enter("a");
  await enter("b");

  const waiting = [enter("c"), enter("d")];
  expect({ working: gate.workingCount, waiting: gate.waitingCount }).toEqual({
    working: 2,
    waiting: 2,
  });
  gate.release("b");
  await waiting[0];
  gate.release("a");
  await waiting[1];

  expect(entered).toEqual(["a", "b", "c", "d"]);
  expect({ working: gate.workingCount, waiting: gate.waitingCount }).toEqual({
    working: 2,
    waiting: 0,
  });
});

test("a prompt is refused with a retry time if the queue is full [SRV-10]", async () => {
  const gate = createTurnGate({ ...limits, maxWaitingPrompts: 0 });
  await gate.enter("a", "alice");
  await gate.enter("b", "alice");

  await expect(gate.enter("c", "alice")).rejects.toMatchObject({
    code: "agent-busy",
    data: { retryAfterMs: 1_000 },
  });
});

test("at the limit, a command is refused at once, and check() throws if the queue is full [SRV-10]", async () => {
  const gate = createTurnGate({ ...limits, maxTurns: 1, maxWaitingPrompts: 1 });
  await gate.enter("a", "alice");
  expect(() => gate.check("b", "alice")).not.toThrow();
  expect(() => gate.enterNow("b", "alice")).toThrow("a command does not wait");

  const waiting = gate.enter("b", "alice");
  expect(() => gate.check("c", "alice")).toThrow("no more than 1 prompts may wait");
  expect(() => gate.check("a", "alice")).not.toThrow();
  gate.release("a");
  await waiting;
  expect(() => gate.enterNow("b", "alice")).not.toThrow();
});

test("a prompt that waited too long is refused and leaves the queue", async () => {
  const gate = createTurnGate({ ...limits, maxTurns: 1, maxWaitMs: 1 });
  await gate.enter("a", "alice");

  await expect(gate.enter("b", "alice")).rejects.toMatchObject({ code: "agent-busy" });
  expect(gate.waitingCount).toBe(0);
});

test("a prompt waits up to maxWaitMs, and its timer is cleared when it is admitted", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const gate = createTurnGate({ ...limits, maxTurns: 1 });
  await gate.enter("a", "alice");

  const waiting = gate.enter("b", "alice");
  vi.advanceTimersByTime(limits.maxWaitMs - 1);
  expect(gate.waitingCount).toBe(1);
  gate.release("a");
  await waiting;

  expect(vi.getTimerCount()).toBe(0);
});

test("when a turn of an owner at the limit ends, only one new turn is admitted", async () => {
  const gate = createTurnGate({ ...limits, maxTurns: 8 });
  await gate.enter("a", "alice");
  await gate.enter("b", "alice");

  gate.release("a");
  gate.enterNow("c", "alice");

  expect(() => gate.enterNow("d", "alice")).toThrow("2 for each owner");
});

test.each([
  [
    "(1 for this server) is reached, and no more than 0 prompts may wait",
    "bob",
    { maxTurns: 1, maxTurnsPerOwner: 1, maxWaitingPrompts: 0 },
  ],
  [
    "(1 for each owner) is reached, and the prompt was not admitted within 5 ms",
    "alice",
    { maxTurns: 8, maxTurnsPerOwner: 1, maxWaitMs: 5 },
  ],
])("the error of a refused prompt contains %j [SRV-10]", async (reason, owner, own) => {
  const gate = createTurnGate({ ...limits, ...own });
  await gate.enter("a", "alice");

  await expect(gate.enter("b", owner)).rejects.toThrow(reason);
});

test("a prompt of a session with a running turn is admitted at once", async () => {
  const gate = createTurnGate({ ...limits, maxTurns: 1, maxWaitingPrompts: 0 });
  await gate.enter("a", "alice");

  await expect(gate.enter("a", "alice")).resolves.toBeUndefined();
});

test("a prompt does not wait behind the prompts of another owner who has reached a limit [SRV-10]", async () => {
  const gate = createTurnGate({ ...limits, maxTurns: 3, maxTurnsPerOwner: 1 });
  const { entered, enter } = openEntrance(gate);
  await enter("a", "alice");

  const second = enter("b", "alice");
  await enter("c", "bob");
  gate.release("a");
  await second;

  expect(entered).toEqual(["a", "c", "b"]);
});

test("forceEnter() counts a session as working even beyond the limits", async () => {
  const gate = createTurnGate({ ...limits, maxTurns: 1 });
  await gate.enter("a", "alice");

  gate.forceEnter("b", "alice");
  const waiting = gate.enter("c", "alice");
  gate.release("a");

  expect({ working: gate.workingCount, waiting: gate.waitingCount }).toEqual({
    working: 1,
    waiting: 1,
  });
  gate.release("b");
  await waiting;
});

test("a closed gate refuses prompts and is idle after the last turn", async () => {
  const gate = createTurnGate({ ...limits, maxTurns: 1 });
  await gate.enter("a", "alice");
  const waiting = gate.enter("b", "alice");

  gate.close();
  const idle = gate.waitUntilIdle();
  gate.release("a");

  await expect(waiting).rejects.toMatchObject({ code: "agent-busy" });
  await expect(gate.enter("c", "alice")).rejects.toMatchObject({
    code: "agent-busy",
    data: { retryAfterMs: 1_000 },
  });
  expect(() => gate.check("a", "alice")).toThrow("the server is stopping");
  await expect(idle).resolves.toBeUndefined();
});

test("a gate is idle before the first turn and after all turns have ended", async () => {
  const gate = createTurnGate(limits);
  await gate.waitUntilIdle();
  await gate.enter("a", "alice");
  await gate.enter("b", "alice");
  let isIdle = false;
  const idle = gate.waitUntilIdle().then(() => {
    isIdle = true;
  });

  gate.release("a");
  await setImmediate();
  expect(isIdle).toBe(false);

  gate.release("b");
  await idle;
});
