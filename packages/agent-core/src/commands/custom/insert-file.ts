import { ToolError } from "../../errors/tool-error.js";
import { describeFault } from "../../settings/settings-error.js";
import { openRegularFile } from "../../workspace/open-regular-file.js";
import { decodeText } from "../../workspace/text/text-encoding.js";
import type { Workspace } from "../../workspace/workspace.js";
import { CommandError } from "../command.js";

/** What is inserted becomes part of a prompt: past this it is the model's to read in pieces. */
const mostBytes = 256_000;

/** Where a file is inserted. */
export interface InsertOptions {
  /** Where the command says so. */
  readonly place: { readonly file: string; readonly line: number };
  readonly workspace: Workspace;
}

/** The text of a file in the workspace; throws {@link CommandError} with the place that names it. */
export async function insertFile(file: string, options: InsertOptions): Promise<string> {
  try {
    return await readInside(file, options.workspace);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const problem = `@{${file}}: ${error.message}`;
    throw new CommandError(describeFault({ ...options.place, key: "", problem }), { cause: error });
  }
}

async function readInside(file: string, workspace: Workspace): Promise<string> {
  const place = await workspace.resolve(file);
  // The same words whatever is there, and wherever a link leads.
  if (!place.isInside) throw new ToolError("not_allowed", "it lies outside of the workspace");
  const handle = await openRegularFile(place);
  try {
    const { size } = await handle.stat();
    if (size > mostBytes) {
      const problem = `${place.display} has ${size} bytes; up to ${mostBytes} can be inserted`;
      throw new ToolError("too_large", problem);
    }
    const text = decodeText(await handle.readFile())?.text;
    if (text !== undefined) return text;
    throw new ToolError("not_text", `${place.display} is not UTF-8 or UTF-16 text`);
  } finally {
    await handle.close();
  }
}
