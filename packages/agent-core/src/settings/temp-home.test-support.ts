import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A temporary home directory with a workspace in it. */
export interface TempHome extends AsyncDisposable {
  readonly home: string;
  readonly workspace: string;
  /** Writes a file and returns its absolute path. `file` is relative to `home`; the workspace is `work`. */
  write(file: string, text: string): Promise<string>;
}

/** Creates a temporary home; dispose of it with `await using`. */
export async function openTempHome(): Promise<TempHome> {
  const home = await realpath(await mkdtemp(path.join(tmpdir(), "dt-home-")));
  const workspace = path.join(home, "work");
  await mkdir(workspace);
  return {
    home,
    workspace,
    async write(file, text) {
      const absolute = path.join(home, file);
      await mkdir(path.dirname(absolute), { recursive: true });
      await writeFile(absolute, text);
      return absolute;
    },
    async [Symbol.asyncDispose]() {
      await rm(home, { recursive: true, force: true });
    },
  };
}
