import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "@dt/schema";

/** Keys whose values belong to the dialect. Of all other texts and numbers, only the type is compared. */
const EXACT = new Set([
  "append",
  "canUpdateOutput",
  "code",
  "errorType",
  "final",
  "isClientInitiated",
  "isNewFile",
  "isOutputMarkdown",
  "jsonrpc",
  "kind",
  "lastChunk",
  "name",
  "role",
  "state",
  "status",
  "title",
  "type",
]);

/** Keys whose objects belong to a tool or a server, not to the dialect. */
const OPAQUE = new Set(["args", "schema", "parameterSchema"]);

/**
 * Keys that are not compared.
 *
 * - `__persistedState` is how gemini-cli's server stores a task.
 * - `traceId`, `checkpoint`, `contentLength` and `usageMetadata` are optional, and depend on the model and the tool.
 * - `diffStat` tells the lines of the model from those of the user, which our diffs do not.
 */
const IGNORED = new Set([
  "__persistedState",
  "checkpoint",
  "contentLength",
  "diffStat",
  "traceId",
  "usageMetadata",
]);

/** Reduces JSON to its shape: its keys, its types, and the values that the dialect defines. */
export function shapeOf(json: unknown, key = ""): unknown {
  if (Array.isArray(json)) return json.map((item) => shapeOf(item, key));
  // Our events do not name the server of a tool.
  if (key === "displayName") return String(json).replace(/ \(.* MCP Server\)$/, "");
  if (!isObject(json)) return EXACT.has(key) ? json : typeof json;
  if (OPAQUE.has(key)) return "object";
  const entries = Object.entries(json)
    .filter(([name]) => !isIgnored(name, json))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, shapeOf(value, name)]));
}

// True for a key that is not compared in this object.
function isIgnored(key: string, parent: JsonObject): boolean {
  switch (key) {
    case "data":
      // Only our errors give the reason in `data`.
      return "code" in parent;
    case "message":
      // gemini-cli's server loses the message of a tool's error.
      return Object.keys(parent).length === 1;
    case "metadata":
      // Our log keeps only the content of a prompt.
      return parent.role === "user";
    case "artifacts":
    case "history":
      // gemini-cli's server keeps every status and output of a call, and forgets the history later.
      return !isObject(parent.status) || parent.status.state !== "submitted";
    case "resultDisplay":
      // gemini-cli's server shows the change again when it is refused.
      return isObject(parent.resultDisplay) && JSON.stringify(parent).includes("Cancelled]");
    default:
      return IGNORED.has(key);
  }
}

/**
 * Reduces the frames of a stream. Text and live output come in as many pieces as the machine's speed allows, so equal
 * frames in a row count once.
 */
export function shapesOf(frames: readonly unknown[]): readonly unknown[] {
  const shapes = frames.map((frame) => shapeOf(frame));
  return shapes.filter(
    (shape, index) => !comesInPieces(shape) || !isDeepStrictEqual(shape, shapes[index - 1]),
  );
}

function comesInPieces(shape: unknown): boolean {
  if (!isObject(shape)) return false;
  return shape.kind === "artifact-update" || JSON.stringify(shape).includes("text-content");
}
