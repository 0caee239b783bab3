import { expect, test } from "vitest";
import type { A2aMessage } from "../a2a/a2a.js";
import { findGeminiRefusal, findGeminiRival, reachesGeminiQuestion } from "./gemini-rival.js";

const answer = (messageId: string, callId: string, outcome: unknown): A2aMessage => ({
  role: "user",
  messageId,
  parts: [{ type: "data", data: { callId, outcome } as never }],
});
const question: A2aMessage = {
  role: "agent",
  messageId: "asks",
  parts: [{ type: "data", data: { request: { callId: "a" }, status: "awaiting_approval" } }],
};
const prompt: A2aMessage = {
  role: "user",
  messageId: "prompt",
  parts: [{ type: "text", text: "go" }],
};
const search = { toolCallIds: ["a"], messageId: "ours", known: new Set(["known"]) };
const ours = answer("ours", "a", "cancel");

test.each<[string, readonly A2aMessage[], string | undefined]>([
  ["finds nothing without another answer", [prompt, question, ours], undefined],
  [
    "finds an answer before ours",
    [question, answer("b", "a", "proceed_once"), ours],
    "proceed_once",
  ],
  ["ignores an answer after ours", [question, ours, answer("b", "a", "proceed_once")], undefined],
  ["finds another answer if ours is missing", [answer("b", "a", "cancel")], "cancel"],
  ["ignores an answer to another question", [answer("b", "other", "cancel"), ours], undefined],
  ["ignores an answer that was known", [answer("known", "a", "cancel"), ours], undefined],
  [
    "ignores an answer that opens an editor",
    [answer("b", "a", "modify_with_editor"), ours],
    undefined,
  ],
  ["ignores an outcome that is not a string", [answer("b", "a", 7), ours], undefined],
  [
    "finds an answer that always allows an MCP tool",
    [answer("b", "a", "proceed_always_tool"), ours],
    "proceed_always",
  ],
  [
    "finds an answer that always allows an MCP server",
    [answer("b", "a", "proceed_always_server")],
    "proceed_always_server",
  ],
])("findGeminiRival %s", (_, history, selectedOptionId) => {
  const rival = findGeminiRival(history, search);

  expect(rival?.selectedOptionId).toBe(selectedOptionId);
});

test("reachesGeminiQuestion is true only for a history that contains the question", () => {
  expect(reachesGeminiQuestion([prompt, question], ["a"])).toBe(true);
  expect(reachesGeminiQuestion([prompt, question], ["b"])).toBe(false);
  expect(reachesGeminiQuestion([prompt, ours], ["a"])).toBe(false);
});

const cancelled: A2aMessage = {
  role: "agent",
  messageId: "cancelled",
  parts: [{ type: "data", data: { request: { callId: "a" }, status: "cancelled" } }],
};

test.each<[string, readonly A2aMessage[], boolean, string | undefined]>([
  ["finds a cancelled call at the start of the history", [cancelled], false, ""],
  ["finds a cancelled call after a prompt", [prompt, cancelled], false, "prompt"],
  ["finds a cancelled call before our answer", [prompt, cancelled, ours], true, "prompt"],
  ["ignores a cancelled call after our answer", [prompt, ours, cancelled], true, undefined],
  ["ignores a cancelled call if our sent answer is missing", [cancelled], true, undefined],
  ["finds nothing without a cancelled call", [prompt, question], false, undefined],
])("findGeminiRefusal %s", (_, history, isSent, after) => {
  const rival = findGeminiRefusal(history, { ...search, isSent });

  const found = { toolCallId: "a", selectedOptionId: "cancel", messageId: after };
  expect(rival).toEqual(after === undefined ? undefined : found);
  expect(findGeminiRefusal(history, { ...search, toolCallIds: ["b"], isSent })).toBeUndefined();
});
