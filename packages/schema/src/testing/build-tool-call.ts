import type { ToolCall } from "../gen/development_tool/tool_call.js";
import { buildConfirmationOptions } from "../tool-call/confirmation-options.js";

/** Builds a valid tool call that is PENDING. */
export function buildToolCall(overrides: Partial<ToolCall> = {}): ToolCall {
  return {
    toolCallId: "call-1",
    status: "PENDING",
    toolName: "write_file",
    inputParameters: { file_path: "hello.txt", content: "hello" },
    result: undefined,
    ...overrides,
  };
}

/** Builds a valid tool call that waits for an answer. */
export function buildQuestion(overrides: Partial<ToolCall> = {}): ToolCall {
  return buildToolCall({
    confirmationRequest: {
      options: buildConfirmationOptions("all edits in this session"),
      details: {
        $case: "fileEditDetails",
        value: { fileName: "hello.txt", filePath: "/work/hello.txt", newContent: "hello" },
      },
    },
    ...overrides,
  });
}
