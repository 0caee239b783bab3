import { failAt, type JsonObject } from "../../validation/message-json.js";
import { findObject, join } from "../a2a/read-json.js";

/** The names of what a person wrote instead: the RFC's, and the one that the guide's questions have. */
const known = ["file_details", "fileDetails", "file_edit_details", "fileEditDetails"];

/** Content that stands where nobody looks for it. */
const misplaced = ["new_content", "newContent", "file_edit_details", "fileEditDetails"];

/**
 * An answer with what was edited where the RFC has it, one level higher than in the guide. An edit in
 * another shape is refused: to drop it would allow what the person has changed. (RFC-21)
 */
export function unnestModified(data: JsonObject, path: string): JsonObject {
  for (const key of misplaced) {
    if (data[key] !== undefined) {
      failAt(join(path, key), "not known here; expected file_details.new_content");
    }
  }
  const key = data.modified_details === undefined ? "modifiedDetails" : "modified_details";
  const nested = findObject(data, key, path);
  if (nested === undefined) {
    checkContent(data, path);
    return data;
  }
  const nestedPath = join(path, key);
  const unknown = Object.keys(nested).find((each) => !known.includes(each));
  if (unknown !== undefined) {
    failAt(join(nestedPath, unknown), "not known here; expected file_details.new_content");
  }
  checkContent(nested, nestedPath);
  const { file_edit_details, fileEditDetails, ...rest } = nested;
  const named = file_edit_details ?? fileEditDetails;
  return { ...(named !== undefined && { file_details: named }), ...rest, ...data };
}

/** An edit whose content has another name would empty the file. With no name at all, it is empty. */
function checkContent(details: JsonObject, path: string): void {
  for (const key of known) {
    const file = findObject(details, key, path) ?? {};
    const names = Object.keys(file);
    if (names.length === 0 || "new_content" in file || "newContent" in file) continue;
    failAt(join(join(path, key), "new_content"), "required");
  }
}
