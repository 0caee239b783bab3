import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openWorkspace, type Workspace } from "../workspace/workspace.js";

/** A workspace in a temporary directory that is removed on disposal. */
export interface TempWorkspace extends Workspace, AsyncDisposable {
  /** Reads a file of the workspace as text. */
  read(file: string): Promise<string>;
}

/** Creates a temporary workspace; dispose of it with `await using`. */
export async function openTempWorkspace(): Promise<TempWorkspace> {
  const workspace = await openWorkspace(await mkdtemp(path.join(tmpdir(), "dt-workspace-")));
  return {
    ...workspace,
    read: (file) => readFile(path.join(workspace.root, file), "utf8"),
    async [Symbol.asyncDispose]() {
      await rm(workspace.root, { recursive: true, force: true });
    },
  };
}
