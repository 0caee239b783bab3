import { ToolError } from "../errors/tool-error.js";
import { findEditorText } from "./editor-text.js";
import { isMissing } from "./file-error.js";
import { openRegularFile } from "./open-regular-file.js";
import { decodeText, type EncodedText } from "./text/text-encoding.js";
import type { Workspace, WorkspacePath } from "./workspace.js";

/** A text file with the version that was read. */
export interface TextFile extends EncodedText {
  /** Identifies the version of the file that was read. */
  readonly version: string;
}

/**
 * Maximum size of an edited file. Subscribers receive the whole old and new text, and larger texts
 * would be of no use to them.
 */
const MAX_EDIT_BYTES = 2_000_000;

/**
 * Reads a text file for editing. Resolves with undefined if the file does not exist. Throws if the file is not
 * text or is too large. If the session's editor can read the file, returns the editor's text, which may have
 * changes that are not saved.
 */
export async function findText(
  file: WorkspacePath,
  workspace: Pick<Workspace, "editorFiles"> = {},
): Promise<TextFile | undefined> {
  let handle: Awaited<ReturnType<typeof openRegularFile>>;
  try {
    handle = await openRegularFile(file);
  } catch (error) {
    if (error instanceof ToolError && isMissing(error.cause)) return undefined;
    throw error;
  }
  try {
    const stats = await handle.stat({ bigint: true });
    checkEditSize(file, Number(stats.size));
    const decoded = decodeText(await handle.readFile());
    if (decoded !== undefined) {
      const text = (await findEditorText(file, workspace)) ?? decoded.text;
      return { ...decoded, text, version: versionOf(stats) };
    }
    throw new ToolError(
      "not_text",
      `${file.display} is not UTF-8 or UTF-16 text, so it cannot be edited as text; use run_shell_command with a program for its format`,
    );
  } finally {
    await handle.close();
  }
}

/** Throws if a file is too large to be edited. */
export function checkEditSize(file: WorkspacePath, bytes: number): void {
  if (bytes <= MAX_EDIT_BYTES) return;
  throw new ToolError(
    "too_large",
    `${file.display} has ${bytes} bytes; only files of at most ${MAX_EDIT_BYTES} bytes can be edited; change it with run_shell_command`,
  );
}

/** Returns a value that changes whenever the file is written or replaced. */
export function versionOf(stats: { ino: bigint; size: bigint; mtimeNs: bigint }): string {
  return `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}
