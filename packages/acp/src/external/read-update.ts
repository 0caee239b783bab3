import { type ExternalUpdate, isObject, type Part, type Todo, type TodoStatus } from "@dt/schema";
import { readAcpCall } from "./read-call.js";
import { numberIn, objectIn, objectsIn, textIn } from "./read-json.js";

const TODO_STATUSES: Readonly<Record<string, TodoStatus>> = {
  pending: "PENDING",
  in_progress: "IN_PROGRESS",
  completed: "COMPLETED",
};
const MAX_TODOS = 200;
const MAX_TODO_LENGTH = 2_000;
/** Largest number that our wire format accepts for tokens. */
const MAX_TOKENS = 2 ** 31 - 1;

/**
 * Converts an update of the agent to dt's updates. Unknown updates are ignored, so that a newer agent still works.
 * Updates of modes, models and commands are read by `advanceAgentOffer`. Pure.
 */
export function readAcpUpdate(update: unknown): readonly ExternalUpdate[] {
  switch (textIn(update, "sessionUpdate")) {
    case "agent_message_chunk":
      return readMessage(objectIn(update, "content"));
    case "agent_thought_chunk": {
      const text = textIn(objectIn(update, "content"), "text") ?? "";
      return text === "" ? [] : [{ type: "thought", text }];
    }
    case "tool_call":
    case "tool_call_update": {
      const call = readAcpCall(update);
      return call === undefined ? [] : [{ type: "call", call }];
    }
    case "plan":
      return [
        { type: "todos", todos: objectsIn(update, "entries").slice(0, MAX_TODOS).map(readTodo) },
      ];
    case "usage_update":
      return readUsage(update);
    case "notice":
      return readNotice(update);
    default:
      return [];
  }
}

/** Converts a block of the agent's text. Images, sounds and files become attachments. */
function readMessage(block: unknown): readonly ExternalUpdate[] {
  const type = textIn(block, "type");
  if (type === "text") {
    const text = textIn(block, "text") ?? "";
    return text === "" ? [] : [{ type: "text", text }];
  }
  const file = type === undefined ? undefined : readFile(type, block);
  return file === undefined ? [] : [{ type: "text", text: "", attachments: [file] }];
}

function readFile(type: string, block: unknown): Part | undefined {
  const mediaType = textIn(block, "mimeType");
  const media = mediaType === undefined ? {} : { mediaType };
  const bytes = textIn(block, "data");
  if ((type === "image" || type === "audio") && bytes !== undefined)
    return { type: "file", bytes, ...media };
  const uri = textIn(block, "uri");
  if (type !== "resource_link" || uri === undefined) return undefined;
  const name = textIn(block, "name");
  return { type: "file", uri, ...media, ...(name !== undefined && { name }) };
}

function readTodo(entry: unknown): Todo {
  return {
    description: (textIn(entry, "content") ?? "").slice(0, MAX_TODO_LENGTH),
    status: TODO_STATUSES[textIn(entry, "status") ?? ""] ?? "PENDING",
  };
}

function readUsage(update: unknown): readonly ExternalUpdate[] {
  const used = numberIn(update, "used");
  const size = numberIn(update, "size");
  if (used === undefined || size === undefined) return [];
  const cost = objectIn(update, "cost");
  const amount = numberIn(cost, "amount");
  const currency = textIn(cost, "currency");
  const known = amount !== undefined && amount >= 0 && currency !== undefined;
  return [
    {
      type: "usage",
      usage: {
        contextTokens: toTokens(used),
        contextLimit: toTokens(size),
        ...(known && { cost: { amount: toDecimal(amount), currency } }),
      },
    },
  ];
}

/** Rounds a count of tokens to a number that the wire format accepts. */
export function toTokens(count: number): number {
  return Math.min(Math.max(0, Math.round(count)), MAX_TOKENS);
}

/** Writes an amount without an exponent, with at most nine decimals. */
function toDecimal(amount: number): string {
  const fixed = Math.min(amount, 1e9).toFixed(9);
  return fixed.replace(/\.?0+$/, "");
}

function readNotice(update: unknown): readonly ExternalUpdate[] {
  const text = textIn(update, "message") ?? textIn(update, "text") ?? "";
  const severity = textIn(update, "severity") ?? textIn(update, "level");
  const level = severity === "error" ? "error" : severity === "warning" ? "warn" : "info";
  return text === "" || !isObject(update) ? [] : [{ type: "notice", level, text }];
}
