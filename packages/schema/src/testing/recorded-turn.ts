import type { SessionEvent } from "../event/agent-event.js";
import { buildEvent } from "./build-event.js";
import { buildQuestion, buildToolCall } from "./build-tool-call.js";

/**
 * The events of one turn as a subscriber gets them: the prompt, a thought, text, a question, its answer,
 * live output (without a cursor), a console line, the result, more text, an artifact in two chunks, the
 * end.
 */
export const RECORDED_TURN: readonly SessionEvent[] = [
  buildEvent(
    {
      kind: "USER_PROMPT",
      messageId: "message-1",
      parts: [{ type: "text", text: "say hello in a file" }],
      origin: { principal: "ada", name: "Ada" },
    },
    { state: "submitted", cursor: "1.x" },
  ),
  buildEvent({ kind: "STATE_CHANGE" }, { cursor: "2.x" }),
  buildEvent(
    { kind: "THOUGHT", thought: { subject: "Plan", description: "one file" } },
    { cursor: "3.x" },
  ),
  buildEvent({ kind: "TEXT_CONTENT", text: "I write " }, { cursor: "4.x", model: "gemini" }),
  buildEvent({ kind: "TEXT_CONTENT", text: "the file." }, { cursor: "5.x", model: "gemini" }),
  buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() }, { cursor: "6.x" }),
  buildEvent(
    { kind: "STATE_CHANGE", waiting: [buildQuestion()] },
    { state: "input-required", cursor: "7.x" },
  ),
  buildEvent(
    {
      kind: "TOOL_CALL_UPDATE",
      toolCall: buildToolCall({ status: "EXECUTING" }),
      answer: {
        toolCallId: "call-1",
        selectedOptionId: "proceed_once",
        origin: { principal: "ada", name: "Ada" },
      },
    },
    { cursor: "8.x" },
  ),
  buildEvent({
    kind: "TOOL_CALL_UPDATE",
    toolCall: buildToolCall({ status: "EXECUTING", liveContent: "5 bytes" }),
  }),
  buildEvent({ kind: "CONSOLE_LOG", log: { type: "info", content: "saved" } }, { cursor: "9.x" }),
  buildEvent(
    { kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ status: "SUCCEEDED" }) },
    { cursor: "10.x" },
  ),
  buildEvent({ kind: "TEXT_CONTENT", text: "Done." }, { cursor: "11.x" }),
  buildEvent(
    {
      kind: "ARTIFACT",
      artifact: { artifactId: "report", name: "report.md", parts: [{ type: "text", text: "# A" }] },
    },
    { cursor: "12.x" },
  ),
  buildEvent(
    {
      kind: "ARTIFACT",
      artifact: { artifactId: "report", parts: [{ type: "data", data: { pages: 1 } }] },
      append: true,
      lastChunk: true,
    },
    { cursor: "13.x" },
  ),
  buildEvent({ kind: "STATE_CHANGE" }, { state: "completed", cursor: "14.x" }),
];
