import { ProtocolError } from "@dt/schema";
import { expect, test } from "vitest";
import { retryHeaders } from "./retry-headers.js";

test.each([
  [1, "1"],
  [1_000, "1"],
  [1_001, "2"],
])("a client that should wait %i ms is told to wait %s s", (retryAfterMs, seconds) => {
  const busy = new ProtocolError("agent-busy", "later", { data: { retryAfterMs } });

  expect(retryHeaders(busy)).toEqual({ "Retry-After": seconds });
});

test("an error that does not say when to retry has no header", () => {
  const errors = [
    new ProtocolError("agent-busy", "later"),
    new ProtocolError("agent-busy", "later", { data: { retryAfterMs: "soon" } }),
    Object.assign(new Error("broken"), { data: { retryAfterMs: 5 } }),
    undefined,
  ];

  expect(errors.map(retryHeaders)).toEqual([{}, {}, {}, {}]);
});
