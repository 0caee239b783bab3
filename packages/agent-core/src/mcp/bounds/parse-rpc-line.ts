import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import type { MessageId } from "./message-scanner.js";
import type { RefusedMessage } from "./rpc-line-reader.js";

/**
 * Parses one line that a server wrote. Returns undefined if the line is not a message, for example a log line.
 * An invalid answer becomes an error for its call.
 */
export function parseRpcLine(line: string): JSONRPCMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const parsed = JSONRPCMessageSchema.safeParse(value);
  return parsed.success ? parsed.data : failedAnswer(value);
}

/** Builds the error for the call that a refused message answers. Returns undefined if the message answers no call. */
export function toRefusal({ fault, answeredId }: RefusedMessage): JSONRPCMessage | undefined {
  if (answeredId === undefined) return undefined;
  return errorAnswer(answeredId, `the server sent an answer ${fault}`);
}

// Turns an invalid response into an error, because the call would otherwise wait forever for its response.
function failedAnswer(value: unknown): JSONRPCMessage | undefined {
  if (typeof value !== "object" || value === null || !("id" in value)) return undefined;
  const { id } = value;
  if ("method" in value || (typeof id !== "number" && typeof id !== "string")) return undefined;
  return errorAnswer(id, "the answer is not a valid JSON-RPC response");
}

function errorAnswer(id: MessageId, message: string): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: -32603, message } };
}
