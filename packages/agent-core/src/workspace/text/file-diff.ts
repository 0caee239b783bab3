import path from "node:path";
import type { FileDiff } from "@dt/schema";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { buildCoarsePatch, type CoarsePatchOptions, countLines } from "./coarse-patch.js";

/** Finding the least change takes time that grows with its square: past this a coarse one will do. */
const MAX_CHANGED_LINES = 1000;
/** It also grows with the texts: so many lines, or pieces of a line, are compared at most. */
const MAX_COMPARISONS = 20_000_000;
const PIECE_LENGTH = 64;
/** In longer texts the least change is not looked for at all. */
const MAX_LINES = 100_000;

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
  const names = { oldName: oldContent === undefined ? "/dev/null" : display, newName: display };
  const before = oldContent ?? "";
  const patch = findLeastPatch({ ...names, before, after: newContent });
  return patch ?? buildCoarsePatch({ ...names, before, after: newContent });
}

/** The smallest patch, if it can be found within a bound that depends on the texts alone. */
function findLeastPatch(texts: CoarsePatchOptions): string | undefined {
  const { oldName, newName, before, after } = texts;
  const lines = countLines(before) + countLines(after);
  if (before === "" || after === "" || lines > MAX_LINES) return undefined;
  const size = lines + (before.length + after.length) / PIECE_LENGTH;
  return createTwoFilesPatch(oldName, newName, before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    maxEditLength: Math.min(MAX_CHANGED_LINES, Math.floor(MAX_COMPARISONS / size)),
  });
}
