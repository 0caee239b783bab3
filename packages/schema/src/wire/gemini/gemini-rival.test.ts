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
  ["no other answer", [prompt, question, ours], undefined],
  ["an answer before ours", [question, answer("b", "a", "proceed_once"), ours], "proceed_once"],
  ["an answer after ours", [question, ours, answer("b", "a", "proceed_once")], undefined],
  ["another answer but not ours", [answer("b", "a", "cancel")], "cancel"],
  ["an answer to another question", [answer("b", "other", "cancel"), ours], undefined],
  ["an answer that was known before", [answer("known", "a", "cancel"), ours], undefined],
  ["an answer that opened an editor", [answer("b", "a", "modify_with_editor"), ours], undefined],
  ["an outcome that is not a string", [answer("b", "a", 7), ours], undefined],
  [
    "an answer that always allows an MCP tool",
    [answer("b", "a", "proceed_always_tool"), ours],
    "proceed_always",
  ],
  [
    "an answer that always allows an MCP server",
    [answer("b", "a", "proceed_always_server")],
    "proceed_always_server",
  ],
])("findGeminiRival searches a history with %s", (_, history, selectedOptionId) => {
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
  ["only a cancelled call", [cancelled], false, ""],
  ["a prompt before a cancelled call", [prompt, cancelled], false, "prompt"],
  ["our answer after a cancelled call", [prompt, cancelled, ours], true, "prompt"],
  ["our answer before a cancelled call", [prompt, ours, cancelled], true, undefined],
  ["a cancelled call and without our answer, although it was sent", [cancelled], true, undefined],
  ["a question and no cancelled call", [prompt, question], false, undefined],
])("findGeminiRefusal searches a history with %s", (_, history, isSent, after) => {
  const rival = findGeminiRefusal(history, { ...search, isSent });

  const found = { toolCallId: "a", selectedOptionId: "cancel", messageId: after };
  expect(rival).toEqual(after === undefined ? undefined : found);
  expect(findGeminiRefusal(history, { ...search, toolCallIds: ["b"], isSent })).toBeUndefined();
});
