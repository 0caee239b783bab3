import path from "node:path";
import type { FileDiff } from "@dt/schema";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { buildCoarsePatch } from "./coarse-patch.js";

/** Finding the least change takes time that grows with its square; past this a coarse one will do. */
const mostChangedLines = 4000;

/** What a file was and will be → the change as people and clients see it. */
export function buildFileDiff(
  file: { readonly absolute: string; readonly display: string },
  oldContent: string | undefined,
  newContent: string,
): FileDiff {
  return {
    fileName: path.basename(file.absolute),
    filePath: file.absolute,
    ...(oldContent !== undefined && { oldContent }),
    newContent,
    formattedDiff: buildPatch(file.display, oldContent, newContent),
  };
}

function buildPatch(display: string, oldContent: string | undefined, newContent: string): string {
  const oldName = oldContent === undefined ? "/dev/null" : display;
  const before = oldContent ?? "";
  const patch = createTwoFilesPatch(oldName, display, before, newContent, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    maxEditLength: mostChangedLines,
  });
  return patch ?? buildCoarsePatch({ oldName, newName: display, before, after: newContent });
}
