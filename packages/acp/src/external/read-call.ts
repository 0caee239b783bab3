import {
  EXTERNAL_CALL_KINDS,
  type ExternalCall,
  type ExternalCallKind,
  type ExternalDiff,
  isObject,
  type JsonObject,
} from "@dt/schema";
import { objectIn, objectsIn, textIn } from "./read-json.js";

const STATUSES = ["pending", "in_progress", "completed", "failed"] as const;

/** Maximum size of a title, an id and a name, in characters. */
const MAX_LINE = 2_000;
/** Maximum length of a call's text, which is cut there. A diff with a longer text is left out. */
const MAX_TEXT = 1_000_000;
/** Maximum size of a call's input as JSON. A larger input is left out. */
const MAX_INPUT = 200_000;
const MAX_PATHS = 1_000;

/**
 * Reads a tool call, or a change of a tool call. Fields with a wrong type are ignored, because agents differ.
 * Returns undefined if the call has no id.
 */
export function readAcpCall(value: unknown): ExternalCall | undefined {
  const id = textIn(value, "toolCallId");
  if (id === undefined) return undefined;
  const content = objectsIn(value, "content");
  const title = textIn(value, "title");
  const toolName = textIn(value, "name") ?? toolNameIn(value);
  const status = STATUSES.find((each) => each === textIn(value, "status"));
  const input = inputIn(value);
  const text = readText(content, value);
  const shown = content.filter(({ type }) => type === "diff");
  const diffs = shown.flatMap(readDiff);
  const kind = shown.some(isTooLarge) ? "other" : kindIn(value);
  const paths = objectsIn(value, "locations").flatMap((each) => textIn(each, "path") ?? []);
  return {
    id: id.slice(0, MAX_LINE),
    ...(title !== undefined && { title: title.slice(0, MAX_LINE) }),
    ...(toolName !== undefined && { toolName: toolName.slice(0, MAX_LINE) }),
    ...(kind !== undefined && { kind }),
    ...(status !== undefined && { status }),
    ...(input !== undefined && { input }),
    ...(text !== "" && { text: text.slice(0, MAX_TEXT) }),
    ...(diffs.length > 0 && { diffs }),
    ...(paths.length > 0 && { paths: paths.slice(0, MAX_PATHS) }),
  };
}

/** Finds the tool's name where Claude's adapter writes it. */
function toolNameIn(value: unknown): string | undefined {
  return textIn(objectIn(objectIn(value, "_meta"), "claudeCode"), "toolName");
}

function inputIn(value: unknown): JsonObject | undefined {
  const input = objectIn(value, "rawInput");
  if (input === undefined || Object.keys(input).length === 0) return undefined;
  return JSON.stringify(input).length > MAX_INPUT ? undefined : input;
}

/** Returns the text of a call's content; if the content has no text, the text of the call's raw output. */
function readText(content: readonly JsonObject[], value: unknown): string {
  const texts = content.flatMap((each) =>
    each.type === "content" ? (textIn(each.content, "text") ?? []) : [],
  );
  if (texts.length > 0) return texts.join("\n");
  const output = isObject(value) ? value.rawOutput : undefined;
  if (typeof output === "string") return output;
  return textIn(output, "output") ?? textIn(output, "error") ?? "";
}

function kindIn(value: unknown): ExternalCallKind | undefined {
  const kind = textIn(value, "kind");
  return EXTERNAL_CALL_KINDS.find((each) => each === kind);
}

// A cut text could be approved as if it were whole, so a diff that is too large is left out. The kind of its
// call becomes `other`, which asks every time, because nobody can judge the change.
function isTooLarge(diff: JsonObject): boolean {
  const texts = [textIn(diff, "newText"), textIn(diff, "oldText")];
  return texts.some((text) => text !== undefined && text.length > MAX_TEXT);
}

function readDiff(diff: JsonObject): readonly ExternalDiff[] {
  const path = textIn(diff, "path");
  const newText = textIn(diff, "newText");
  const oldText = textIn(diff, "oldText");
  if (path === undefined || newText === undefined || isTooLarge(diff)) return [];
  return [{ path, newText, ...(oldText !== undefined && { oldText }) }];
}
