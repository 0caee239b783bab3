import { expect, test } from "vitest";
import { createBoundedFetch } from "./bounded-fetch.js";
import { DEFAULT_MESSAGE_LIMITS } from "./message-limits.js";

const LIMITS = { ...DEFAULT_MESSAGE_LIMITS, maxBytes: 100 };
const notification = (text: string) =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { text } })}\n\n`;

const fetchEvents = (events: string, init: RequestInit) => {
  const headers = { "content-type": "text/event-stream" };
  return createBoundedFetch(async () => new Response(events, { headers }), LIMITS)(
    "http://s/",
    init,
  );
};

test("a notification beyond the limits is dropped from a stream that belongs to no call", async () => {
  const events = notification("x".repeat(200)) + notification("next");

  const response = await fetchEvents(events, { method: "GET" });

  expect(await response.text()).toBe(notification("next"));
});

test("a notification beyond the limits in the stream of a call fails that call", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call" });

  const response = await fetchEvents(notification("x".repeat(200)), { method: "POST", body });

  expect(JSON.parse((await response.text()).replace("data: ", ""))).toMatchObject({
    id: 7,
    error: { message: "the server sent an answer of more than 100 bytes" },
  });
});
