import { expect, test } from "vitest";
import { StoreFault } from "../../store-fault.js";
import { createAwayFault, isConnectionError, toStoreFault } from "./postgres-error.js";

const withCode = (code: string, message = "x") => Object.assign(new Error(message), { code });

test.each([
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "08006",
  "53300",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "ENOTFOUND",
  "ENOENT",
  "EADDRNOTAVAIL",
])("the code %s says that the connection broke", (code) => {
  expect(isConnectionError(withCode(code))).toBe(true);
});

test.each([
  "Connection terminated unexpectedly",
  "connection is closed",
  "timeout exceeded when trying to connect",
  "Client has encountered a connection error and is not queryable",
  "Query read timeout",
])("the driver's message %j says that the connection broke", (message) => {
  expect(isConnectionError(new Error(message))).toBe(true);
  expect(isConnectionError(withCode("23505", message))).toBe(false);
});

test.each([
  withCode("23505"),
  withCode("57P06"),
  withCode("XX57P01"),
  withCode("53200"),
  new Error("a syntax error"),
  "ECONNRESET",
  undefined,
])("the error %s does not say that the connection broke", (error) => {
  expect(isConnectionError(error)).toBe(false);
});

test("an error about several addresses is a connection error if one of its errors is", () => {
  const both = new AggregateError([withCode("23505"), withCode("ECONNREFUSED")]);

  expect(isConnectionError(both)).toBe(true);
  expect(isConnectionError(new AggregateError([withCode("23505")]))).toBe(false);
});

test("an unreachable or full database is a fault of the store, and other errors are unchanged [LOG-07]", () => {
  const away = withCode("ECONNREFUSED", "connect ECONNREFUSED");
  const other = withCode("23505");
  const plain = new Error("x");

  expect(toStoreFault(away, "host/db")).toEqual(
    new StoreFault(
      "store-gone",
      "the database host/db cannot be reached (connect ECONNREFUSED); nothing is stored until it answers again",
      { isTemporary: true },
    ),
  );
  for (const code of ["53100", "53200"])
    expect(toStoreFault(withCode(code, "no space"), "host/db")).toEqual(
      new StoreFault("disk-full", "the database host/db is full (no space); free space"),
    );
  expect([toStoreFault(other, "p"), toStoreFault(plain, "p")]).toEqual([other, plain]);
  expect(toStoreFault(other, "p")).toBe(other);
  // A retry helps only if the database can answer again by itself.
  expect(toStoreFault(away, "host/db")).toMatchObject({
    code: "agent-busy",
    data: { store: "store-gone", retryAfterMs: 5_000 },
  });
  expect(toStoreFault(withCode("53100"), "host/db")).toMatchObject({ code: "internal" });
});

test("the reason for an unreachable database names each address that was tried", () => {
  const tried = new AggregateError([new Error("one"), new Error("two")]);

  expect(createAwayFault("db", tried).message).toContain("(one; two)");
  expect(createAwayFault("db", new AggregateError([], "all failed")).message).toContain(
    "(all failed)",
  );
  expect(createAwayFault("db", "gone").message).toContain("(gone)");
});
