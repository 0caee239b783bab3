import type { AgentEvent } from "@dt/schema";
import { buildQuestion, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { isNotable, NOTABLE_KINDS } from "./notable-event.js";

const artifact = { artifactId: "a", parts: [] };
const call = (status: "PENDING" | "EXECUTING" | "SUCCEEDED" | "FAILED"): AgentEvent => ({
  kind: "TOOL_CALL_UPDATE",
  toolCall: buildToolCall({ status }),
});

test.each<[string, AgentEvent, boolean]>([
  ["a change of state", { kind: "STATE_CHANGE" }, true],
  ["text", { kind: "TEXT_CONTENT", text: "x" }, false],
  ["a question", { kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() }, true],
  ["a planned call", call("PENDING"), false],
  ["a running call", call("EXECUTING"), false],
  ["a call that succeeded", call("SUCCEEDED"), true],
  ["a call that failed", call("FAILED"), true],
  ["a whole artifact", { kind: "ARTIFACT", artifact }, true],
  [
    "the last chunk of an artifact",
    { kind: "ARTIFACT", artifact, append: true, lastChunk: true },
    true,
  ],
  ["the first chunk of an artifact", { kind: "ARTIFACT", artifact, lastChunk: false }, false],
  ["a further chunk of an artifact", { kind: "ARTIFACT", artifact, append: true }, false],
])("it is decided for %s whether every receiver gets it", (_, event, expected) => {
  expect(isNotable(event)).toBe(expected);
  expect(!expected || NOTABLE_KINDS.includes(event.kind)).toBe(true);
});
