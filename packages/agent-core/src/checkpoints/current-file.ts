import { ToolError } from "../errors/tool-error.js";
import { openRegularFile } from "../workspace/open-regular-file.js";
import { versionOf } from "../workspace/text-file.js";
import type { WorkspacePath } from "../workspace/workspace.js";

/** What is at a path now. */
export type CurrentFile =
  | { readonly type: "absent" }
  | {
      readonly type: "file";
      readonly bytes: Buffer;
      readonly mode: number;
      /** Tells whether the file is still the one that was read. */
      readonly version: string;
    }
  /** Too large, no file, or not to be read by us. */
  | { readonly type: "unusable"; readonly reason: string };

/** Looks at a path that was resolved before; a link that has taken its place is not followed. */
export async function readCurrent(file: string, maxBytes: number): Promise<CurrentFile> {
  let handle: Awaited<ReturnType<typeof openRegularFile>>;
  try {
    handle = await openRegularFile(placeOf(file));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (isAbsent(error.cause)) return { type: "absent" };
    return { type: "unusable", reason: error.message };
  }
  try {
    const stats = await handle.stat({ bigint: true });
    if (stats.size > maxBytes) {
      const reason = `${file} has ${stats.size} bytes; copies are kept of up to ${maxBytes}`;
      return { type: "unusable", reason };
    }
    const mode = Number(stats.mode) & 0o7777;
    return { type: "file", bytes: await handle.readFile(), mode, version: versionOf(stats) };
  } finally {
    await handle.close();
  }
}

/** A path as the workspace's file functions want it. Whether it lies inside was judged before. */
export function placeOf(file: string): WorkspacePath {
  return { absolute: file, display: file, isInside: true };
}

function isAbsent(cause: unknown): boolean {
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}
