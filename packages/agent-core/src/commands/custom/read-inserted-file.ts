import { ToolError } from "../../errors/tool-error.js";
import { describeFault } from "../../settings/settings-error.js";
import { openRegularFile } from "../../workspace/open-regular-file.js";
import { decodeText } from "../../workspace/text/text-encoding.js";
import type { Workspace } from "../../workspace/workspace.js";
import { CommandError } from "../command.js";

/** Maximum size of an inserted file. A much larger file would not fit into the context of a model. */
const MAX_BYTES = 256_000;

/** Options of {@link readInsertedFile}. */
export interface InsertedFileOptions {
  /** File and line of the placeholder `@{file}`, for errors. */
  readonly origin: { readonly file: string; readonly line: number };
  readonly workspace: Workspace;
}

/**
 * Reads a text file of the workspace. If that fails, throws {@link CommandError} with the file and the line
 * of the placeholder.
 */
export async function readInsertedFile(
  file: string,
  options: InsertedFileOptions,
): Promise<string> {
  try {
    return await readInside(file, options.workspace);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const problem = `@{${file}}: ${error.message}`;
    throw new CommandError(describeFault({ ...options.origin, key: "", problem }), {
      cause: error,
    });
  }
}

async function readInside(file: string, workspace: Workspace): Promise<string> {
  const resolved = await workspace.resolve(file);
  // The message is always the same, so that it does not reveal which files exist outside.
  if (!resolved.isInside) throw new ToolError("not_allowed", "it is outside the workspace");
  const handle = await openRegularFile(resolved);
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) {
      const problem = `${resolved.display} has ${size} bytes; at most ${MAX_BYTES} can be inserted`;
      throw new ToolError("too_large", problem);
    }
    const text = decodeText(await handle.readFile())?.text;
    if (text !== undefined) return text;
    throw new ToolError("not_text", `${resolved.display} is not UTF-8 or UTF-16 text`);
  } finally {
    await handle.close();
  }
}
