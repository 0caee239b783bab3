import { failAt, type JsonObject } from "../../validation/message-json.js";
import { findObject, join } from "../a2a/read-json.js";

/** Keys of a person's edit, in both casings: first the RFC's key, then the key of the guide. */
const EDIT_KEYS = ["file_details", "fileDetails", "file_edit_details", "fileEditDetails"];

/** Keys that are refused at the top level of an answer. */
const MISPLACED_KEYS = ["new_content", "newContent", "file_edit_details", "fileEditDetails"];

/**
 * Moves an edit from `modified_details`, where the live endpoint's guide has it, to the top level,
 * where the RFC has it. An edit in another form is refused, because dropping it would approve the
 * unedited change.
 */
export function unnestModified(data: JsonObject, path: string): JsonObject {
  for (const key of MISPLACED_KEYS) {
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
  const unknown = Object.keys(nested).find((each) => !EDIT_KEYS.includes(each));
  if (unknown !== undefined) {
    failAt(join(nestedPath, unknown), "not known here; expected file_details.new_content");
  }
  checkContent(nested, nestedPath);
  const { file_edit_details, fileEditDetails, ...rest } = nested;
  const named = file_edit_details ?? fileEditDetails;
  return { ...(named !== undefined && { file_details: named }), ...rest, ...data };
}

/**
 * Refuses an edit that has keys but no `new_content`, because the default value would empty the file. An
 * edit without any key is accepted, and means an empty file.
 */
function checkContent(details: JsonObject, path: string): void {
  for (const key of EDIT_KEYS) {
    const file = findObject(details, key, path) ?? {};
    const names = Object.keys(file);
    if (names.length === 0 || "new_content" in file || "newContent" in file) continue;
    failAt(join(join(path, key), "new_content"), "required");
  }
}
