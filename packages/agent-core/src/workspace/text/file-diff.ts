import path from "node:path";
import type { FileDiff } from "@dt/schema";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { buildCoarsePatch, type CoarsePatchOptions, countLines } from "./coarse-patch.js";

/**
 * Maximum number of changed lines in a minimal diff. The time to compute a minimal diff grows with the
 * square of this number, so larger changes get a coarse diff.
 */
const MAX_CHANGED_LINES = 1000;
/**
 * Maximum number of comparisons for a minimal diff, because the time also grows with the size of
 * the texts. The number is estimated as the changed lines times the size of both texts. The size is the
 * number of lines, plus one for every {@link PIECE_LENGTH} characters.
 */
const MAX_COMPARISONS = 20_000_000;
const PIECE_LENGTH = 64;
/** Maximum number of lines of both texts together. Longer texts get a coarse diff. */
const MAX_LINES = 100_000;

/** Builds the file diff that clients receive. Large changes get a coarse diff. */
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
  const patch = findMinimalPatch({ ...names, before, after: newContent });
  return patch ?? buildCoarsePatch({ ...names, before, after: newContent });
}

/**
 * Returns the minimal patch; undefined if a text is empty or a limit is exceeded. The limits do not
 * depend on time, so the same texts always get the same patch.
 */
function findMinimalPatch(texts: CoarsePatchOptions): string | undefined {
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
