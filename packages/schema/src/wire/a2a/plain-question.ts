import type {
  ConfirmationRequest,
  ToolCallConfirmation,
} from "../../gen/development_tool/confirmation.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";

/**
 * Encodes open questions as text for a client without the development-tool extension. The text has
 * the action of each question, and the exact lines that answer it.
 */
export function encodePlainQuestions(calls: readonly ToolCall[]): string {
  const isOnly = calls.length === 1;
  const questions = calls.map((call) =>
    [
      `The tool ${call.toolName} asks for permission${isOnly ? "" : ` (call ${call.toolCallId})`}.`,
      ...describeQuestion(call),
      "Answer with exactly one of these lines:",
      ...(call.confirmationRequest?.options ?? []).map(
        ({ id, name }) => `  ${isOnly ? id : `${id} ${call.toolCallId}`}    (${name})`,
      ),
    ].join("\n"),
  );
  return questions.join("\n\n");
}

/**
 * Decodes a text that is exactly the id of an option. If several calls wait, the id of the call must
 * also be in the text. Returns undefined for any other text, so that no other text approves a call.
 */
export function decodePlainAnswer(
  text: string,
  calls: readonly ToolCall[],
): ToolCallConfirmation | undefined {
  const [optionId = "", toolCallId, ...rest] = text.trim().split(/\s+/);
  const call =
    toolCallId === undefined && calls.length === 1
      ? calls[0]
      : calls.find((candidate) => candidate.toolCallId === toolCallId);
  const isOffered = call?.confirmationRequest?.options.some(({ id }) => id === optionId);
  if (call === undefined || isOffered !== true || rest.length > 0) return undefined;
  return { toolCallId: call.toolCallId, selectedOptionId: optionId, modifiedDetails: undefined };
}

/** Returns the lines that describe the action of a question. */
export function describeQuestion(call: ToolCall): readonly string[] {
  const { confirmationRequest, inputParameters, description } = call;
  const details = confirmationRequest?.details;
  return [
    ...(description === undefined ? [] : [description]),
    ...(details === undefined ? [JSON.stringify(inputParameters ?? {})] : describeDetails(details)),
  ];
}

function describeDetails(details: NonNullable<ConfirmationRequest["details"]>): string[] {
  switch (details.$case) {
    case "executeDetails": {
      const { command, workingDirectory } = details.value;
      return [`Command: ${command}`, ...(workingDirectory ? [`In: ${workingDirectory}`] : [])];
    }
    case "fileEditDetails": {
      const { filePath, fileName, formattedDiff, newContent } = details.value;
      return [`File: ${filePath || fileName}`, formattedDiff || newContent];
    }
    case "mcpDetails":
      return [`MCP server: ${details.value.serverName}`, `Tool: ${details.value.toolName}`];
    case "genericDetails":
      return [details.value.description];
  }
}
