import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createProcessMark, isMarkerFile } from "./process-mark.js";
import { MARKER_FD } from "./process-table.js";
import type { TreeRoot } from "./process-tree.js";

const { O_RDONLY, O_CREAT, O_EXCL } = constants;

/** The variable and the open file by which a process and all its descendants are recognised. */
export interface ProcessMarker extends Pick<TreeRoot, "marker">, AsyncDisposable {
  /** Entries to add to the `stdio` of the process after stdin, stdout and stderr. */
  readonly stdio: readonly ("ignore" | number)[];
  /** Closes the agent's own handle of the file. Call this when the process has started. */
  close(): Promise<void>;
}

/**
 * Opens the marker of one process. The marker is a variable name and, if possible, an open file with the
 * same name. The name begins with `mark`, which all processes of one tool call share.
 */
export async function openMarker(mark = createProcessMark().name): Promise<ProcessMarker> {
  const marker = `${mark}_${randomBytes(4).toString("hex")}`;
  const handle = await openDeletedFile(path.join(tmpdir(), marker));
  const close = async () => await handle?.close();
  const closing = { close, [Symbol.asyncDispose]: close };
  if (handle === undefined) return { marker, stdio: [], ...closing };
  const between = Array<"ignore">(MARKER_FD - 3).fill("ignore");
  return { marker, stdio: [...between, handle.fd], ...closing };
}

/**
 * Creates a file, and deletes it while it stays open. Resolves with undefined if that fails, for example on a
 * full disk. Also does so on systems other than Linux, because they do not show the open files of a process.
 */
async function openDeletedFile(file: string): Promise<FileHandle | undefined> {
  if (process.platform !== "linux") return undefined;
  try {
    return await open(file, O_RDONLY | O_CREAT | O_EXCL, 0o600);
  } catch {
    return undefined;
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}

/**
 * Removes the marker files of agents that were killed before they could delete their files. Running
 * processes do not need the file names, because they have the files open.
 */
export async function removeMarkerFiles(directory = tmpdir()): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  await Promise.all(
    names.filter(isMarkerFile).map(async (name) => {
      // Files of other users cannot be removed, so this error is ignored.
      await rm(path.join(directory, name), { force: true }).catch(() => undefined);
    }),
  );
}
