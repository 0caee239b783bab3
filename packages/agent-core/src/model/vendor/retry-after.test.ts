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

type Answer = { readonly headers?: Record<string, string>; readonly body?: unknown };

test.each<[what: string, answer: Answer, ms: number]>([
  ["a number of seconds", { headers: { "retry-after": "3" } }, 3000],
  ["zero seconds", { headers: { "retry-after": "0" } }, 0],
  [
    "milliseconds, even if seconds are present",
    { headers: { "retry-after-ms": "40", "retry-after": "3" } },
    40,
  ],
  [
    "the time between two dates",
    {
      headers: {
        "retry-after": "Sun, 15 Nov 2026 10:00:30 GMT",
        date: "Sun, 15 Nov 2026 10:00:00 GMT",
      },
    },
    30_000,
  ],
  ["a RetryInfo in the body", { body: retryInfo }, 1500],
  [
    "a header, even if a RetryInfo is present",
    { headers: { "retry-after": "3" }, body: retryInfo },
    3000,
  ],
])("the wait is read from %s", (_, { headers, body }, ms) => {
  expect(findRetryAfterMs(new Headers(headers), body)).toBe(ms);
});

test.each<[what: string, answer: Answer]>([
  ["nothing about a wait", {}],
  [
    "a date to retry at, but no date header",
    { headers: { "retry-after": "Sun, 15 Nov 2026 10:00:30 GMT" } },
  ],
  ["a header that is not a number", { headers: { "retry-after": "soon" } }],
  ["a negative number", { headers: { "retry-after": "-1" } }],
  ["invalid details in the body", { body: { error: { details: "none" } } }],
])("no wait is found in a response with %s", (_, { headers, body }) => {
  expect(findRetryAfterMs(new Headers(headers), body)).toBeUndefined();
});
