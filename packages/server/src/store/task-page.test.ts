import { expect, test } from "vitest";
import { findLastPrompt } from "./last-prompt.js";
import type { LogEvent, TaskRecord } from "./session-store.js";
import { buildTaskPage, decodePageToken, encodePageToken, shortenTaskPage } from "./task-page.js";

const task = (taskId: string) => ({ taskId, updatedAt: `at ${taskId}` }) as TaskRecord;
const tasks = ["a", "b", "c"].map(task);

test("a page token is decoded to the last task of its page, and other text is refused", () => {
  const end = { updatedAt: "2026", taskId: "ü" };
  const encode = (json: unknown) => Buffer.from(JSON.stringify(json)).toString("base64url");

  expect(decodePageToken(encodePageToken(end))).toEqual(end);
  for (const token of [
    "",
    "x",
    encode({}),
    encode(["a"]),
    encode(["a", "b", "c"]),
    encode([1, "b"]),
    encode(["a", 2]),
  ])
    expect(() => decodePageToken(token)).toThrow("pageToken");
});

test("a page has a token for the next page only if there are more tasks", () => {
  expect(buildTaskPage(tasks, { limit: 3, total: 9 })).toEqual({ tasks, total: 9 });
  expect(buildTaskPage(tasks, { limit: 2, total: 9 })).toEqual({
    tasks: tasks.slice(0, 2),
    total: 9,
    next: encodePageToken({ updatedAt: "at b", taskId: "b" }),
  });
  expect(buildTaskPage([], { limit: 0, total: 0 })).toEqual({ tasks: [], total: 0 });
  expect(buildTaskPage(tasks, { limit: 0, total: 3 })).toEqual({ tasks: [], total: 3 });
});

test("the token of a shortened page names its new last task", () => {
  const page = { tasks, total: 9, next: "later" };

  expect(shortenTaskPage(page, 3)).toBe(page);
  expect(shortenTaskPage(page, 1)).toEqual({
    tasks: tasks.slice(0, 1),
    total: 9,
    next: encodePageToken({ updatedAt: "at a", taskId: "a" }),
  });
});

test("findLastPrompt trims the last prompt and shortens it to 200 characters", () => {
  const events = (...texts: readonly (string | undefined)[]) =>
    texts.map((text) => ({
      event: {
        kind: text === undefined ? "TEXT_CONTENT" : "USER_PROMPT",
        parts: [{ type: "text", text }],
      },
    })) as unknown as readonly LogEvent[];

  expect(findLastPrompt(events("one", " two ", undefined))).toBe("two");
  expect(findLastPrompt(events("x".repeat(300)))).toHaveLength(200);
  expect(findLastPrompt(events("  "))).toBe("(no text)");
  expect(findLastPrompt(events(undefined))).toBeUndefined();
});
