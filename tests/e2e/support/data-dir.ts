import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** Creates a temporary data directory. Disposing it removes the directory. */
export async function openDataDir() {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-data-"));
  return {
    directory,
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true });
    },
  };
}
