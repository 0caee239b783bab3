import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";

/** One line of a server → a message; undefined for what is none, such as a stray log line. */
export function parseRpcLine(line: string): JSONRPCMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const parsed = JSONRPCMessageSchema.safeParse(value);
  return parsed.success ? parsed.data : refusedAnswer(value);
}

// An answer that is none would leave its call waiting for ever; as an error it ends the call.
function refusedAnswer(value: unknown): JSONRPCMessage | undefined {
  if (typeof value !== "object" || value === null || !("id" in value)) return undefined;
  const { id } = value;
  if ("method" in value || (typeof id !== "number" && typeof id !== "string")) return undefined;
  const message = "the answer was not a JSON-RPC response";
  return { jsonrpc: "2.0", id, error: { code: -32603, message } };
}
