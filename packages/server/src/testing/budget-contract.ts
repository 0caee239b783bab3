import {
  dayAccount,
  RESERVATION_MS,
  type ReservationRequest,
  sessionAccount,
} from "../store/budgets/budget-store.js";
import type { SessionStore } from "../store/session-store.js";
import { commitTo } from "./commit-to.js";
import { equal, first, rejects, STARTED_AT, type StorePromise } from "./store-checks.js";

const SESSION = sessionAccount("context");
const DAY = dayAccount("2026-01-01", "alice");

function request(id: string, about: Partial<ReservationRequest> = {}): ReservationRequest {
  return {
    id,
    accounts: [{ account: SESSION }, { account: DAY, tokens: 1_000 }],
    input: { tokens: 100, nanos: 50 },
    leastOutput: 10,
    mostOutput: 300,
    outputNanos: 2,
    at: STARTED_AT,
    ...about,
  };
}

const usesIn = async (store: SessionStore) => await store.readBudgets([SESSION, DAY]);

/** The promises about budgets that every store must keep. */
export const budgetContract: readonly StorePromise[] = [
  {
    name: "a reservation counts in all its accounts until it is replaced with what was used",
    async check(store) {
      equal(await usesIn(store), [
        { tokens: 0, nanos: 0 },
        { tokens: 0, nanos: 0 },
      ]);
      equal(await store.reserveBudget(request("one")), { type: "granted", output: 300 });
      equal(await usesIn(store), [
        { tokens: 400, nanos: 650 },
        { tokens: 400, nanos: 650 },
      ]);
      await store.settleBudget("one", { tokens: 120, nanos: 90 });
      await store.settleBudget("one", { tokens: 9_999, nanos: 9_999 });
      await store.settleBudget("nope", { tokens: 9_999, nanos: 9_999 });
      equal(await usesIn(store), [
        { tokens: 120, nanos: 90 },
        { tokens: 120, nanos: 90 },
      ]);
    },
  },
  {
    name: "a reservation that would cross a limit is refused and changes nothing",
    async check(store) {
      const limited = { accounts: [{ account: DAY, nanos: 60 }, { account: SESSION }] };
      equal(await store.reserveBudget(request("one", limited)), {
        type: "refused",
        account: DAY,
        unit: "nanos",
        used: 0,
        limit: 60,
        needed: 70,
      });
      equal(await usesIn(store), [
        { tokens: 0, nanos: 0 },
        { tokens: 0, nanos: 0 },
      ]);
    },
  },
  {
    name: "the output of a reservation is reduced to what is left of the limits",
    async check(store) {
      equal(await store.reserveBudget(request("one", { mostOutput: 800 })), {
        type: "granted",
        output: 800,
      });
      await store.settleBudget("one", { tokens: 850, nanos: 0 });
      equal(await store.reserveBudget(request("two")), { type: "granted", output: 50 });
      equal((await usesIn(store))[1], { tokens: 1_000, nanos: 150 });
    },
  },
  {
    name: "concurrent reservations never cross a limit together",
    async check(store) {
      const ids = Array.from({ length: 9 }, (_, index) => `call-${index}`);
      const same = { leastOutput: 100, mostOutput: 100 };
      const outcomes = await Promise.all(ids.map((id) => store.reserveBudget(request(id, same))));
      equal(outcomes.filter(({ type }) => type === "granted").length, 5);
      equal((await usesIn(store))[1], { tokens: 1_000, nanos: 5 * 250 });
    },
  },
  {
    name: "a reservation that is never settled stays part of the use",
    async check(store) {
      await store.reserveBudget(request("lost"));
      const at = new Date(Date.parse(STARTED_AT) + RESERVATION_MS + 1_000).toISOString();
      await store.reserveBudget(request("later", { at }));
      await store.settleBudget("lost", { tokens: 0, nanos: 0 });
      equal((await usesIn(store))[0], { tokens: 800, nanos: 1_300 });
    },
  },
  {
    name: "a reservation can be settled for seven days, even if later ones were made meanwhile",
    async check(store) {
      await store.reserveBudget(request("early"));
      const at = new Date(Date.parse(STARTED_AT) + RESERVATION_MS).toISOString();
      await store.reserveBudget(request("later", { at }));
      await store.settleBudget("early", { tokens: 1, nanos: 2 });
      equal((await usesIn(store))[0], { tokens: 401, nanos: 652 });
    },
  },
  {
    name: "a reservation without limits is granted, and an account keeps its use for later limits",
    async check(store) {
      const free = { accounts: [{ account: DAY }], outputNanos: 0 };
      equal(await store.reserveBudget(request("one", free)), { type: "granted", output: 300 });
      const limited = { accounts: [{ account: DAY, tokens: 509 }] };
      equal(await store.reserveBudget(request("two", limited)), {
        type: "refused",
        account: DAY,
        unit: "tokens",
        used: 400,
        limit: 509,
        needed: 110,
      });
      equal(
        await store.reserveBudget(request("three", { accounts: [{ account: DAY, tokens: 510 }] })),
        {
          type: "granted",
          output: 10,
        },
      );
      equal(await store.readBudgets([SESSION, DAY, SESSION]), [
        { tokens: 0, nanos: 0 },
        { tokens: 510, nanos: 120 },
        { tokens: 0, nanos: 0 },
      ]);
    },
  },
  {
    name: "deleting a session deletes its account, but not the account of its owner",
    async check(store) {
      await commitTo(store, [first([1])]);
      await store.reserveBudget(request("one"));
      await store.deleteSession("context");
      await store.settleBudget("one", { tokens: 5, nanos: 5 });
      equal(await usesIn(store), [
        { tokens: 0, nanos: 0 },
        { tokens: 5, nanos: 5 },
      ]);
    },
  },
  {
    name: "a closed store refuses to read and to reserve budgets",
    async check(store) {
      await store.close();
      await rejects(store.readBudgets([DAY]));
      await rejects(store.reserveBudget(request("one")));
      await rejects(store.settleBudget("one", { tokens: 0, nanos: 0 }));
    },
  },
];
