import { expect, test } from "vitest";
import type { ReservationRequest } from "./budget-store.js";
import { planReservation } from "./plan-reservation.js";

const request: ReservationRequest = {
  id: "call",
  accounts: [{ account: "session" }, { account: "day" }],
  input: { tokens: 100, nanos: 50 },
  leastOutput: 10,
  mostOutput: 300,
  outputNanos: 2.5,
  at: "2026-01-01T00:00:00.000Z",
};
const unused = [
  { tokens: 0, nanos: 0 },
  { tokens: 0, nanos: 0 },
];

test.each<[string, Partial<ReservationRequest>, object]>([
  ["without limits", {}, { output: 300, amount: { tokens: 400, nanos: 800 } }],
  [
    "with a limit that leaves less output",
    { accounts: [{ account: "session", tokens: 150 }, { account: "day" }] },
    { output: 50, amount: { tokens: 150, nanos: 175 } },
  ],
  [
    "with a limit of money that leaves less output",
    {
      accounts: [
        { account: "session", tokens: 150 },
        { account: "day", nanos: 79 },
      ],
    },
    { output: 11, amount: { tokens: 111, nanos: 78 } },
  ],
  [
    "with a model that costs nothing",
    { accounts: [{ account: "day", nanos: 50 }], outputNanos: 0 },
    { output: 300, amount: { tokens: 400, nanos: 50 } },
  ],
])("a reservation %s is the largest that fits [TEAM-04]", (_, about, granted) => {
  expect(planReservation({ ...request, ...about }, unused)).toEqual({
    type: "granted",
    ...granted,
  });
});

test("a reservation is refused with the limit if not even the least output fits [TEAM-04]", () => {
  const accounts = [
    { account: "session", tokens: 500 },
    { account: "day", tokens: 500, nanos: 1 },
  ];
  const uses = [
    { tokens: 0, nanos: 0 },
    { tokens: 391, nanos: 0 },
  ];

  expect(planReservation({ ...request, accounts }, uses)).toEqual({
    type: "refused",
    account: "day",
    unit: "tokens",
    used: 391,
    limit: 500,
    needed: 110,
  });
});
