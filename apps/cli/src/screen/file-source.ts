import { listFiles } from "../prompt/list-files.js";

/** Lists the files that a prompt may mention, and lists them again when the list is old. */
export interface FileSource {
  /** Lists the files if there is no list or the list is old; `onFiles` gets the result. */
  refresh(): void;
  close(): void;
}

const FRESH_MS = 10_000;

/** Creates a source of the files below a directory. Without a directory it lists nothing. */
export function createFileSource(
  directory: string | undefined,
  now: () => number,
  onFiles: (files: readonly string[]) => void,
): FileSource {
  const closing = new AbortController();
  let listedAt = Number.NEGATIVE_INFINITY;
  return {
    refresh() {
      if (directory === undefined || now() - listedAt < FRESH_MS) return;
      listedAt = now();
      listFiles(directory, closing.signal).then(
        (files) => {
          if (!closing.signal.aborted) onFiles(files);
        },
        // The error is ignored, because a path can be typed without the list.
        () => {},
      );
    },
    close: () => closing.abort(),
  };
}
