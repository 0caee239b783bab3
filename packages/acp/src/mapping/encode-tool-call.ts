import type {
  ToolCall as EditorToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
} from "@agentclientprotocol/sdk";
import type { ConfirmationRequest, FileDiff, ToolCall, ToolOutput } from "@dt/schema";
import { fence, textContent } from "./to-content.js";
import { toolKindOf } from "./tool-kinds.js";

/** Data that the encoding of a call needs besides the call. */
export interface ToolCallContext {
  /** Workspace of the session, for relative paths. */
  readonly directory: string;
  /** Remarks for the person, such as an answer that came too late. */
  readonly notes?: readonly string[];
  /** Id of the running call that caused this call. */
  readonly parentCallId?: string;
}

const STATUSES: Readonly<Record<ToolCall["status"], ToolCallStatus>> = {
  STATUS_UNSPECIFIED: "pending",
  PENDING: "pending",
  EXECUTING: "in_progress",
  SUCCEEDED: "completed",
  FAILED: "failed",
  CANCELLED: "failed",
};

/** Encodes a whole tool call. The result is complete, so it can begin a call or replace what is shown. */
export function encodeToolCall(call: ToolCall, context: ToolCallContext): EditorToolCall {
  const { toolCallId, toolName, description, status, inputParameters } = call;
  const { notes = [], parentCallId } = context;
  const rawOutput = toRawOutput(call);
  return {
    toolCallId,
    title: description || toolName,
    name: toolName,
    kind: toolKindOf(toolName),
    status: STATUSES[status],
    content: [...contentOf(call), ...notes.map(textItem)],
    locations: locationsOf(call, context.directory),
    ...(inputParameters !== undefined && { rawInput: inputParameters }),
    ...(rawOutput !== undefined && { rawOutput }),
    ...(parentCallId !== undefined && { _meta: { dt: { parentCallId } } }),
  };
}

function contentOf({ status, liveContent, result, confirmationRequest }: ToolCall) {
  if (result?.$case === "error") return [textItem(result.value.message)];
  if (result?.$case === "output") return outputContent(result.value);
  if (status === "CANCELLED") return [textItem("not allowed, or cancelled")];
  if (status === "EXECUTING" && liveContent) return [textItem(fence(liveContent))];
  return confirmationRequest === undefined ? [] : questionContent(confirmationRequest);
}

function outputContent({ result }: ToolOutput): ToolCallContent[] {
  switch (result?.$case) {
    case "text":
      return result.value === "" ? [] : [textItem(fence(result.value))];
    case "diff":
      return [diffItem(result.value)];
    case "structuredData":
      return [structuredItem(result.value ?? {})];
    case undefined:
      return [];
  }
}

function structuredItem(data: { readonly [key: string]: unknown }): ToolCallContent {
  const { type, bytes_base64: bytes, media_type: mimeType } = data;
  if (type === "image" && typeof bytes === "string" && typeof mimeType === "string") {
    return { type: "content", content: { type: "image", data: bytes, mimeType } };
  }
  return textItem(fence(JSON.stringify(data, null, 2), "json"));
}

function questionContent({ details }: ConfirmationRequest): ToolCallContent[] {
  switch (details?.$case) {
    case "fileEditDetails":
      return [diffItem(details.value)];
    case "executeDetails": {
      const { command, workingDirectory } = details.value;
      const where = workingDirectory ? `\n\nin ${workingDirectory}` : "";
      return [textItem(`${fence(command, "sh")}${where}`)];
    }
    case "mcpDetails":
      return [textItem(`${details.value.toolName} of the MCP server ${details.value.serverName}`)];
    case "genericDetails":
      return [textItem(details.value.description)];
    case undefined:
      return [];
  }
}

function diffItem({ filePath, oldContent, newContent }: FileDiff): ToolCallContent {
  return { type: "diff", path: filePath, oldText: oldContent ?? null, newText: newContent };
}

function textItem(text: string): ToolCallContent {
  return { type: "content", content: textContent(text) };
}

function locationsOf(call: ToolCall, directory: string): ToolCallLocation[] {
  const path = pathOf(call);
  if (path === undefined) return [];
  const isAbsolute = path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path);
  const line = call.inputParameters?.offset;
  return [
    {
      path: isAbsolute ? path : `${directory.replace(/\/$/, "")}/${path}`,
      ...(typeof line === "number" && Number.isInteger(line) && line > 0 && { line }),
    },
  ];
}

function pathOf({ result, confirmationRequest, inputParameters }: ToolCall): string | undefined {
  if (result?.$case === "output" && result.value.result?.$case === "diff") {
    return result.value.result.value.filePath;
  }
  const details = confirmationRequest?.details;
  if (details?.$case === "fileEditDetails") return details.value.filePath;
  const path = inputParameters?.file_path ?? inputParameters?.path;
  return typeof path === "string" && path !== "" ? path : undefined;
}

function toRawOutput({ result, liveContent }: ToolCall): unknown {
  if (result?.$case === "error") return { error: result.value };
  if (result?.$case !== "output") return liveContent ? { text: liveContent } : undefined;
  const output = result.value.result;
  if (output?.$case === "text") return { text: output.value };
  // The diff itself is in the content.
  if (output?.$case === "diff") return { path: output.value.filePath };
  // The bytes of an image are in the content.
  return output?.value?.type === "image" ? { path: output.value.path } : output?.value;
}
