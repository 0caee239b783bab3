import path from "node:path";
import type { FileDiff } from "@dt/schema";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";

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
    formattedDiff: createTwoFilesPatch(
      oldContent === undefined ? "/dev/null" : file.display,
      file.display,
      oldContent ?? "",
      newContent,
      undefined,
      undefined,
      { context: 3, headerOptions: FILE_HEADERS_ONLY },
    ),
  };
}
