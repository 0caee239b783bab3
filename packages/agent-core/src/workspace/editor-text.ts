import type { EditorFiles, StopSignal } from "@dt/schema";
import { ToolError } from "../errors/tool-error.js";
import type { WorkspacePath } from "./workspace.js";

/** Longest time that an editor gets to read or write one file. */
const EDITOR_TIMEOUT_MS = 10_000;

/**
 * Reads a file in the editor, with the changes that are not saved yet. Resolves with undefined if there is no
 * editor, if the file lies outside the workspace, or if the editor cannot read it. The caller has checked that
 * the file may be read.
 */
export async function findEditorText(
  file: WorkspacePath,
  { editorFiles }: { readonly editorFiles?: EditorFiles },
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (!file.isInside || editorFiles?.readText === undefined) return undefined;
  try {
    return await editorFiles.readText(file.absolute, limited(signal));
  } catch {
    // The editor could not read the file, or not in time. The caller then uses the file on disk.
    signal?.throwIfAborted();
    return undefined;
  }
}

/**
 * Writes a file in the editor. Resolves with false if there is no editor or the file lies outside the
 * workspace. Throws if the editor cannot write the file. The caller has checked that the file may be written.
 */
export async function writeEditorText(
  file: WorkspacePath,
  text: string,
  { editorFiles, signal }: { readonly editorFiles?: EditorFiles; readonly signal: AbortSignal },
): Promise<boolean> {
  if (!file.isInside || editorFiles?.writeText === undefined) return false;
  try {
    await editorFiles.writeText(file.absolute, text, limited(signal));
    return true;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolError("editor_failed", `the editor did not write ${file.display}: ${reason}`, {
      cause,
    });
  }
}

function limited(signal: AbortSignal | undefined): StopSignal {
  const timeout = AbortSignal.timeout(EDITOR_TIMEOUT_MS);
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
}
