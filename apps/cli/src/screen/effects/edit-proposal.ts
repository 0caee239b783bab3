import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FileDiff } from "@dt/schema";
import type { CliEnvironment } from "../../variables.js";

/** Result of editing a proposal: the new content, or the reason why there is no new content. */
export type EditOutcome =
  | { readonly type: "edited"; readonly newContent: string }
  | { readonly type: "unchanged" }
  /** The person deleted the whole content. This discards the edit, just as an empty message stops a Git commit. */
  | { readonly type: "emptied" }
  | { readonly type: "failed"; readonly reason: string };

/** Opens the proposed content in the person's editor; resolves when the editor exits. */
export async function editProposal(
  { filePath, newContent }: FileDiff,
  environment: CliEnvironment,
): Promise<EditOutcome> {
  const editor = environment.VISUAL || environment.EDITOR || "vi";
  const directory = await mkdtemp(path.join(tmpdir(), "dt-edit-"));
  try {
    // The temporary file has the name of the proposed file, so that the editor recognises the language.
    const file = path.join(directory, path.basename(filePath) || "proposal");
    await writeFile(file, newContent, { mode: 0o600 });
    const failure = await runEditor(editor, file);
    if (failure !== undefined) return { type: "failed", reason: failure };
    const edited = await readFile(file, "utf8");
    if (edited.trim() === "" && newContent.trim() !== "") return { type: "emptied" };
    return edited === newContent ? { type: "unchanged" } : { type: "edited", newContent: edited };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs the editor command, which may contain arguments; resolves with the reason if the editor fails. */
function runEditor(editor: string, file: string): Promise<string | undefined> {
  const isWindows = process.platform === "win32";
  const quoted = isWindows ? `"${file}"` : `'${file.replaceAll("'", "'\\''")}'`;
  const child = spawn(`${editor} ${quoted}`, { stdio: "inherit", shell: true });
  return new Promise((resolve) => {
    child.once("error", (error) =>
      resolve(`the editor ${editor} could not be started: ${error.message}; set VISUAL or EDITOR`),
    );
    child.once("exit", (code, signal) => {
      resolve(
        code === 0 ? undefined : `the editor ${editor} ended with ${signal ?? `exit code ${code}`}`,
      );
    });
  });
}
