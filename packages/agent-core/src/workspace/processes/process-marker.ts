import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createProcessMark, isMarkerFile } from "./process-mark.js";
import { MARKER_FD } from "./process-table.js";
import type { TreeRoot } from "./process-tree.js";

const { O_RDONLY, O_CREAT, O_EXCL } = constants;

/** What a process is given, and all that it starts inherit, so that they are known by it. */
export interface ProcessMarker extends Pick<TreeRoot, "marker">, AsyncDisposable {
  /** What follows the three usual streams in the `stdio` of the process. */
  readonly stdio: readonly ("ignore" | number)[];
  /** Gives up our own hold on it, once the process has started. */
  close(): Promise<void>;
}

/**
 * Opens the marker of one process: the name of a variable and, where there can be one, an open file of
 * that name. It begins with `mark`, which the processes of one call share.
 */
export async function openMarker(mark = createProcessMark().name): Promise<ProcessMarker> {
  const marker = `${mark}_${randomBytes(4).toString("hex")}`;
  const handle = await openUnnamed(path.join(tmpdir(), marker));
  const close = async () => await handle?.close();
  const ways = { close, [Symbol.asyncDispose]: close };
  if (handle === undefined) return { marker, stdio: [], ...ways };
  const between = Array<"ignore">(MARKER_FD - 3).fill("ignore");
  return { marker, stdio: [...between, handle.fd], ...ways };
}

/** Only Linux shows what others hold open; and where a disk is full, the variable must do. */
async function openUnnamed(file: string): Promise<FileHandle | undefined> {
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
 * Removes the marker files that an agent left behind when it was killed before it had removed their
 * names. The names serve nobody: whoever is marked holds the open file.
 */
export async function removeMarkerFiles(directory = tmpdir()): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  await Promise.all(
    names.filter(isMarkerFile).map(async (name) => {
      // Those of other users stay.
      await rm(path.join(directory, name), { force: true }).catch(() => undefined);
    }),
  );
}
