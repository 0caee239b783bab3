import { expect, test } from "vitest";
import { findRetryAfterMs } from "./retry-after.js";

const retryInfo = {
  error: {
    details: [
      { "@type": "type.googleapis.com/google.rpc.Help" },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.5s" },
    ],
  },
};

test.each<[headers: Record<string, string>, body: unknown, ms: number | undefined]>([
  [{}, undefined, undefined],
  [{ "retry-after": "3" }, undefined, 3000],
  [{ "retry-after": "0" }, undefined, 0],
  [{ "retry-after-ms": "40", "retry-after": "3" }, undefined, 40],
  [
    { "retry-after": "Sun, 15 Nov 2026 10:00:30 GMT", date: "Sun, 15 Nov 2026 10:00:00 GMT" },
    undefined,
    30_000,
  ],
  [{ "retry-after": "Sun, 15 Nov 2026 10:00:30 GMT" }, undefined, undefined],
  [{ "retry-after": "soon" }, undefined, undefined],
  [{ "retry-after": "-1" }, undefined, undefined],
  [{}, retryInfo, 1500],
  [{ "retry-after": "3" }, retryInfo, 3000],
  [{}, { error: { details: "none" } }, undefined],
])("the headers %o and the body %o ask for a wait of %s ms", (headers, body, ms) => {
  expect(findRetryAfterMs(new Headers(headers), body)).toBe(ms);
});
