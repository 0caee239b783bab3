import { expect, test } from "vitest";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { createBudgetPort } from "./create-budget-port.js";

const session = { contextId: "c", owner: "ada" };
const call = {
  input: { tokens: 100, nanos: 10 },
  leastOutput: 50,
  mostOutput: 200,
  outputNanos: 1,
};

function openBudgets() {
  const store = openMemoryStore();
  const time = { at: "2026-01-31T23:59:00.000Z" };
  const refusals: unknown[] = [];
  const faults: unknown[] = [];
  const portOf = (about = session) =>
    createBudgetPort(about, {
      store,
      clock: { now: () => new Date(time.at) },
      metrics: { budgetRefused: (refusal) => refusals.push(refusal) },
      onFault: (reason) => faults.push(reason),
    });
  return { store, time, refusals, faults, portOf, port: portOf() };
}

const limits = { sessionTokens: 1_000, sessionNanos: 900, dayTokens: 1_500, dayNanos: 2_000 };

test("a call counts for its session and for its owner's day, until it is settled [TEAM-04]", async () => {
  const { port } = openBudgets();

  const decision = await port.reserve({ ...call, limits });
  const reserved = await port.readUse(limits);
  if (decision.type === "granted")
    await port.settle(decision.reservationId, { tokens: 7, nanos: 3 });

  const day = "2026-01-31";
  const useOf = (tokens: number, nanos: number) => [
    { scope: "session", unit: "tokens", used: tokens, limit: 1_000 },
    { scope: "session", unit: "nanos", used: nanos, limit: 900 },
    { scope: "day", unit: "tokens", used: tokens, limit: 1_500, day },
    { scope: "day", unit: "nanos", used: nanos, limit: 2_000, day },
  ];
  expect(port.owner).toBe("ada");
  expect(decision).toEqual({ type: "granted", reservationId: expect.any(String), output: 200 });
  expect(reserved).toEqual(useOf(300, 210));
  expect(await port.readUse(limits)).toEqual(useOf(7, 3));
});

test("only limits that are set are listed, and the use of a new budget is zero", async () => {
  const { port } = openBudgets();

  expect(await port.readUse({})).toEqual([]);
  expect(await port.readUse({ dayNanos: 5 })).toEqual([
    { scope: "day", unit: "nanos", used: 0, limit: 5, day: "2026-01-31" },
  ]);
  expect(await port.reserve({ ...call, limits: {} })).toMatchObject({ type: "granted" });
});

test.each([
  [{ sessionTokens: 149 }, { scope: "session", unit: "tokens" }, 150, "tokens"],
  [{ sessionNanos: 59 }, { scope: "session", unit: "nanos" }, 60, "money"],
  [{ dayTokens: 149 }, { scope: "day", unit: "tokens", day: "2026-01-31" }, 150, "tokens"],
  [{ dayNanos: 59 }, { scope: "day", unit: "nanos", day: "2026-01-31" }, 60, "money"],
] as const)(
  "a call beyond the limit %j is refused, and measured",
  async (own, use, needed, unit) => {
    const { port, refusals } = openBudgets();
    const [limit] = Object.values(own);

    expect(await port.reserve({ ...call, limits: own })).toEqual({
      type: "refused",
      use: { ...use, used: 0, limit },
      needed,
    });
    expect(refusals).toEqual([{ scope: use.scope, unit }]);
    expect(await port.readUse({ dayTokens: 1 })).toMatchObject([{ used: 0 }]);
  },
);

test("the sessions of a user share the budget of a day, apart from other users and other days", async () => {
  const { port, portOf, time } = openBudgets();
  await port.reserve({ ...call, limits });
  const all = { sessionTokens: 1, dayTokens: 1 };
  const usedBy = async (about = session) =>
    (await portOf(about).readUse(all)).map(({ used }) => used);

  expect(await usedBy()).toEqual([300, 300]);
  expect(await usedBy({ contextId: "d", owner: "ada" })).toEqual([0, 300]);
  expect(await usedBy({ contextId: "e", owner: "bob" })).toEqual([0, 0]);
  time.at = "2026-02-01T00:00:00.000Z";
  expect(await usedBy()).toEqual([300, 0]);
});

test("if the use of a call cannot be stored, a fault is reported, and the reservation still counts", async () => {
  const { port, store, faults } = openBudgets();
  const decision = await port.reserve({ ...call, limits });
  store.settleBudget = () => Promise.reject(new Error("disk full"));

  if (decision.type === "granted")
    await port.settle(decision.reservationId, { tokens: 7, nanos: 3 });

  expect(faults).toMatchObject([{ message: "disk full" }]);
  expect(await port.readUse({ sessionTokens: 1 })).toMatchObject([{ used: 300 }]);
});
