import { emptyTaskView } from "@dt/schema";
import { afterEach, expect, test, vi } from "vitest";
import { createMessageId, withPrompt } from "./own-prompt.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("createMessageId returns 32 hex digits on a page without TLS", () => {
  expect(createMessageId()).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);

  vi.stubGlobal("crypto", {
    getRandomValues: (bytes: Uint8Array) => bytes.fill(0xc5).fill(0x0a, 15),
  });

  expect(createMessageId()).toBe(`${"c5".repeat(15)}0a`);
});

test("withPrompt appends a prompt to the view in the state of the task", () => {
  const view = { ...emptyTaskView("t", "c"), state: "working" as const, at: "now" };
  const prompt = { messageId: "m", parts: [], origin: { principal: "me", name: "" } };

  expect(withPrompt(view, prompt)).toEqual({
    ...view,
    items: [{ at: "now", event: { kind: "USER_PROMPT", ...prompt } }],
  });
});
