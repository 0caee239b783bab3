import type { ConfirmationRequest } from "../../gen/development_tool/confirmation.js";
import type { ErrorDetails, ToolOutput } from "../../gen/development_tool/tool_call.js";
import { isObject, type JsonObject } from "../../validation/message-json.js";
import { compact, findObject, findString, join, readObject, readString } from "../a2a/read-json.js";
import { decodeGeminiConfirmation, decodeGeminiDiff } from "./gemini-confirmation-codec.js";

/** A call in one update of the peer. */
export interface GeminiToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly description?: string;
  readonly inputParameters: JsonObject;
  readonly move: GeminiMove;
}

/**
 * The next step of a call in our terms. `queue` means that the call may run, because it was allowed
 * or did not ask.
 */
export type GeminiMove =
  | { readonly type: "prepare" }
  | { readonly type: "queue" }
  | { readonly type: "ask"; readonly request: ConfirmationRequest }
  | { readonly type: "start" }
  | { readonly type: "succeed"; readonly output: ToolOutput }
  | { readonly type: "fail"; readonly error: ErrorDetails }
  | { readonly type: "cancel" };

/**
 * Decodes the peer's tool call: a data part with `request`, `status`, and fields for that status.
 * Returns undefined for an unknown status. Throws an error with the path of a fault.
 */
export function decodeGeminiToolCall(data: unknown, path: string): GeminiToolCall | undefined {
  const call = readObject(data, path);
  const request = readObject(call.request, join(path, "request"));
  const requestPath = join(path, "request");
  const move = decodeMove(call, path);
  if (move === undefined) return undefined;
  const args = findObject(request, "args", requestPath) ?? {};
  return compact({
    toolCallId: readString(request, "callId", requestPath),
    toolName: readString(request, "name", requestPath),
    description: typeof args.description === "string" ? args.description : undefined,
    inputParameters: args,
    move,
  });
}

function decodeMove(call: JsonObject, path: string): GeminiMove | undefined {
  switch (readString(call, "status", path)) {
    case "validating":
      return { type: "prepare" };
    case "scheduled":
      return { type: "queue" };
    case "awaiting_approval": {
      const detailsPath = join(path, "confirmationDetails");
      const details = readObject(call.confirmationDetails, detailsPath);
      return { type: "ask", request: decodeGeminiConfirmation(details, detailsPath) };
    }
    case "executing":
      return { type: "start" };
    case "success":
      return { type: "succeed", output: decodeOutput(responseOf(call, path), path) };
    case "error":
      return { type: "fail", error: decodeError(responseOf(call, path), path) };
    case "cancelled":
      return { type: "cancel" };
    default:
      return undefined;
  }
}

function responseOf(call: JsonObject, path: string): JsonObject {
  return findObject(call, "response", path) ?? {};
}

// Decodes the output of a call from `resultDisplay`, which is meant for people. If that is empty, the
// text for the model is used.
function decodeOutput(response: JsonObject, path: string): ToolOutput {
  const display = response.resultDisplay;
  if (isObject(display)) {
    return typeof display.fileDiff === "string"
      ? {
          result: {
            $case: "diff",
            value: decodeGeminiDiff(display, join(path, "response.resultDisplay")),
          },
        }
      : { result: { $case: "structuredData", value: display } };
  }
  if (Array.isArray(display)) {
    return { result: { $case: "structuredData", value: { resultDisplay: display } } };
  }
  const text =
    typeof display === "string" && display !== "" ? display : findModelText(response, "output");
  return { result: { $case: "text", value: text ?? "" } };
}

// Decodes the error of a call. The field `error` is not used: the peer always sends it as `{}`, because
// JSON.stringify drops the fields of an Error.
function decodeError(response: JsonObject, path: string): ErrorDetails {
  const { resultDisplay } = response;
  const display = typeof resultDisplay === "string" ? resultDisplay : "";
  return compact({
    message:
      display ||
      (findModelText(response, "error") ?? "the tool failed; the agent does not say why"),
    type: findString(response, "errorType", join(path, "response")),
  });
}

function findModelText(response: JsonObject, key: "output" | "error"): string | undefined {
  const parts = Array.isArray(response.responseParts) ? response.responseParts : [];
  for (const part of parts) {
    const answer = isObject(part) && isObject(part.functionResponse) ? part.functionResponse : {};
    const value = isObject(answer.response) ? answer.response[key] : undefined;
    if (typeof value === "string") return value;
  }
  return undefined;
}
