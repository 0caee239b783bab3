import { listFiles } from "../prompt/list-files.js";

/** The files that a prompt may name, listed when they are first needed and again after a while. */
export interface FileSource {
  /** Lists them, if that is due; tells `onFiles` when they are there. */
  refresh(): void;
  close(): void;
}

const freshMs = 10_000;

/** A source of the files below a directory; of none without one. */
export function createFileSource(
  directory: string | undefined,
  now: () => number,
  onFiles: (files: readonly string[]) => void,
): FileSource {
  const closing = new AbortController();
  let listedAt = Number.NEGATIVE_INFINITY;
  return {
    refresh() {
      if (directory === undefined || now() - listedAt < freshMs) return;
      listedAt = now();
      listFiles(directory, closing.signal).then(
        (files) => {
          if (!closing.signal.aborted) onFiles(files);
        },
        // Nothing to offer: the name can still be typed.
        () => {},
      );
    },
    close: () => closing.abort(),
  };
}
