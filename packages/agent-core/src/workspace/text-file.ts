import { ToolError } from "../errors/tool-error.js";
import { isMissing } from "./file-error.js";
import { openFile } from "./open-file.js";
import { decodeText, type EncodedText } from "./text/text-encoding.js";
import type { WorkspacePath } from "./workspace.js";

/** A text file as it was read. */
export interface TextFile extends EncodedText {
  /** Tells whether the file is still the one that was read. */
  readonly version: string;
}

/** A change is shown whole, old and new, to everyone who follows: past this size that is no use. */
const largestEditBytes = 2_000_000;

/** A text file to be edited, or undefined where there is none; throws for what is no text. */
export async function findText(file: WorkspacePath): Promise<TextFile | undefined> {
  let handle: Awaited<ReturnType<typeof openFile>>;
  try {
    handle = await openFile(file);
  } catch (error) {
    if (error instanceof ToolError && isMissing(error.cause)) return undefined;
    throw error;
  }
  try {
    const stats = await handle.stat({ bigint: true });
    checkEditSize(file, Number(stats.size));
    const decoded = decodeText(await handle.readFile());
    if (decoded !== undefined) return { ...decoded, version: versionOf(stats) };
    throw new ToolError(
      "not_text",
      `${file.display} is not UTF-8 or UTF-16 text, so it cannot be edited as text; use run_shell_command with a program for its format`,
    );
  } finally {
    await handle.close();
  }
}

/** Refuses an edit that is too large to be shown. */
export function checkEditSize(file: WorkspacePath, bytes: number): void {
  if (bytes <= largestEditBytes) return;
  throw new ToolError(
    "too_large",
    `${file.display} has ${bytes} bytes; an edit may have ${largestEditBytes}: change it with run_shell_command`,
  );
}

/** What changes whenever a file is written or replaced. */
export function versionOf(stats: { ino: bigint; size: bigint; mtimeNs: bigint }): string {
  return `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}
