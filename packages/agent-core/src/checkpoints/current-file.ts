import { ToolError } from "../errors/tool-error.js";
import { openRegularFile } from "../workspace/open-regular-file.js";
import { versionOf } from "../workspace/text-file.js";
import type { WorkspacePath } from "../workspace/workspace.js";

/** Current state of a path. */
export type CurrentFile =
  | { readonly type: "absent" }
  | {
      readonly type: "file";
      readonly bytes: Buffer;
      readonly mode: number;
      /** A value that is different after each change of the file. */
      readonly version: string;
    }
  /** The path is a directory, or the file is too large or cannot be read. */
  | { readonly type: "unusable"; readonly reason: string };

/** Reads a path whose links are resolved. A link that has replaced the file is not followed. */
export async function readCurrent(file: string, maxBytes: number): Promise<CurrentFile> {
  let handle: Awaited<ReturnType<typeof openRegularFile>>;
  try {
    handle = await openRegularFile(toWorkspacePath(file));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (isAbsent(error.cause)) return { type: "absent" };
    return { type: "unusable", reason: error.message };
  }
  try {
    const stats = await handle.stat({ bigint: true });
    if (stats.size > maxBytes) {
      const reason = `${file} has ${stats.size} bytes; copies are limited to ${maxBytes}`;
      return { type: "unusable", reason };
    }
    const mode = Number(stats.mode) & 0o7777;
    return { type: "file", bytes: await handle.readFile(), mode, version: versionOf(stats) };
  } finally {
    await handle.close();
  }
}

/** Converts an absolute path for the file functions of the workspace. Sets `isInside` to true without a check. */
export function toWorkspacePath(file: string): WorkspacePath {
  return { absolute: file, display: file, isInside: true };
}

function isAbsent(cause: unknown): boolean {
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}
