import { emptyTaskView } from "@dt/schema";
import { afterEach, expect, test, vi } from "vitest";
import { createMessageId, withPrompt } from "./own-prompt.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("an id is one of the platform, and as long where a page was not served securely", () => {
  expect(createMessageId()).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);

  vi.stubGlobal("crypto", {
    getRandomValues: (bytes: Uint8Array) => bytes.fill(0xc5),
  });

  expect(createMessageId()).toBe("c5".repeat(16));
});

test("a prompt of one's own stands at the end of the view, as the task stands", () => {
  const view = { ...emptyTaskView("t", "c"), state: "working" as const, at: "now" };
  const prompt = { messageId: "m", parts: [], origin: { principal: "me", name: "" } };

  expect(withPrompt(view, prompt)).toEqual({
    ...view,
    items: [{ at: "now", event: { kind: "USER_PROMPT", ...prompt } }],
  });
});
