import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "@dt/schema";

/** Keys whose values must be equal. For most other keys, only the type of a value is compared. */
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

/** Keys whose objects are not compared, because their fields differ from tool to tool. */
const OPAQUE = new Set(["args", "schema", "parameterSchema"]);

/**
 * Keys that are not compared.
 *
 * - `__persistedState` is internal to gemini-cli's server.
 * - `traceId`, `checkpoint`, `contentLength` and `usageMetadata` are optional, and depend on the model and the tool.
 * - `diffStat` counts lines of the model and of the user, which our server does not count.
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
  // Only gemini-cli's server adds the name of the MCP server to the display name of a tool.
  if (key === "displayName") return String(json).replace(/ \(.* MCP Server\)$/, "");
  if (!isObject(json)) return EXACT.has(key) ? json : typeof json;
  if (OPAQUE.has(key)) return "object";
  const entries = Object.entries(json)
    .filter(([name]) => !isIgnored(name, json))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, shapeOf(value, name)]));
}

// Returns true if the key is not compared in this object.
function isIgnored(key: string, parent: JsonObject): boolean {
  switch (key) {
    case "data":
      // Only our server sends the reason of an error in `data`.
      return "code" in parent;
    case "message":
      // An object with only a message is a tool's error. gemini-cli's server omits the message.
      return Object.keys(parent).length === 1;
    case "metadata":
      // Our server does not store the metadata of a prompt.
      return parent.role === "user";
    case "artifacts":
    case "history":
      // The servers store different histories, so these keys are compared only in a new task.
      return !isObject(parent.status) || parent.status.state !== "submitted";
    case "resultDisplay":
      // Only gemini-cli's server sends the diff of a file again when the person refuses the change.
      return isObject(parent.resultDisplay) && JSON.stringify(parent).includes("Cancelled]");
    default:
      return IGNORED.has(key);
  }
}

/**
 * Reduces the frames of a stream to their shapes. The number of frames with text or live output depends on
 * the speed of the machine, so equal frames of these kinds in a row count once.
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
