import { buildConfirmationOptions, type FileDiff, type ToolCall } from "@dt/schema";

/** Builds a tool call that asks for permission to change a file; absent fields get sample values. */
export function buildEditQuestion(
  diff: Partial<FileDiff> = {},
  toolCall: Partial<ToolCall> = {},
): ToolCall {
  const fileName = diff.fileName ?? "notes.txt";
  const value = { fileName, filePath: `/workspace/${fileName}`, newContent: "", ...diff };
  return buildQuestion("replace", { $case: "fileEditDetails", value }, toolCall);
}

/** Builds a tool call that asks for permission to run a shell command. */
export function buildCommandQuestion(command: string, toolCall: Partial<ToolCall> = {}): ToolCall {
  const value = { command };
  return buildQuestion("run_shell_command", { $case: "executeDetails", value }, toolCall);
}

function buildQuestion(
  toolName: string,
  details: NonNullable<ToolCall["confirmationRequest"]>["details"],
  toolCall: Partial<ToolCall>,
): ToolCall {
  return {
    toolCallId: "call-1",
    status: "PENDING",
    toolName,
    inputParameters: {},
    result: undefined,
    confirmationRequest: { options: buildConfirmationOptions("this session"), details },
    ...toolCall,
  };
}
