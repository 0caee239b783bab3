import { isObject, type JsonObject } from "@dt/schema";

/** Keys whose values belong to the dialect. Of all other texts and numbers, only the type is compared. */
const EXACT = new Set([
  "append",
  "canUpdateOutput",
  "code",
  "displayName",
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
  "rootCommand",
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
  if (!isObject(json)) return EXACT.has(key) ? json : typeof json;
  if (OPAQUE.has(key)) return "object";
  const entries = Object.entries(json)
    .filter(([name]) => !isIgnored(name, json))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, shapeOf(value, name)]));
}

// Our errors say why in `data`, and an error of a tool has its message, which gemini-cli's server loses. A message in
// the history has no metadata here, because the log keeps only its content.
function isIgnored(key: string, parent: JsonObject): boolean {
  if (IGNORED.has(key)) return true;
  if (key === "data") return "code" in parent;
  if (key === "message") return Object.keys(parent).length === 1;
  return key === "metadata" && parent.role === "user";
}

/** Reduces the frames of a stream. Live output comes in as many pieces as the machine's speed allows. */
export function shapesOf(frames: readonly unknown[]): readonly unknown[] {
  const shapes = frames.map((frame) => shapeOf(frame));
  return shapes.filter(
    (shape, index) =>
      !isOutput(shape) || JSON.stringify(shape) !== JSON.stringify(shapes[index - 1]),
  );
}

function isOutput(shape: unknown): boolean {
  return isObject(shape) && shape.kind === "artifact-update";
}
