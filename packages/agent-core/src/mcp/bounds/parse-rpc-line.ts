import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import type { RefusedMessage } from "./rpc-line-reader.js";
import type { MessageId } from "./message-scanner.js";

/** One line of a server → a message; undefined for what is none, such as a stray log line. */
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

/** What the call of a message beyond the limits is answered with; undefined if it is of no call. */
export function toRefusal({ fault, answeredId }: RefusedMessage): JSONRPCMessage | undefined {
  if (answeredId === undefined) return undefined;
  return errorAnswer(answeredId, `the server's answer is ${fault}`);
}

// An answer that is none would leave its call waiting for ever; as an error it ends the call.
function failedAnswer(value: unknown): JSONRPCMessage | undefined {
  if (typeof value !== "object" || value === null || !("id" in value)) return undefined;
  const { id } = value;
  if ("method" in value || (typeof id !== "number" && typeof id !== "string")) return undefined;
  return errorAnswer(id, "the answer was not a JSON-RPC response");
}

function errorAnswer(id: MessageId, message: string): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: -32603, message } };
}
