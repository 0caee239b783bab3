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
  /** Entries of the process's `stdio` after the three usual streams. */
  readonly stdio: readonly ("ignore" | number)[];
  /** Closes the agent's own handle. Call it once the process has started. */
  close(): Promise<void>;
}

/**
 * Opens the marker of one process. It is a variable name and, if possible, an open file of that name.
 * Both begin with `mark`, which all processes of one call share.
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
 * Opens a new file and deletes its name. Only Linux shows the open files of other processes. If the
 * file cannot be created, for example on a full disk, only the variable marks the process.
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
 * Removes marker files of agents that were killed before they could delete them. Marked processes do
 * not need the names, because they have the files open.
 */
export async function removeMarkerFiles(directory = tmpdir()): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  await Promise.all(
    names.filter(isMarkerFile).map(async (name) => {
      // The files of other users cannot be removed, and stay.
      await rm(path.join(directory, name), { force: true }).catch(() => undefined);
    }),
  );
}
