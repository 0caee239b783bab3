import { createHash, randomUUID } from "node:crypto";
import { access, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "../workspace/file-error.js";

/** Stores the content of files by its hash, so that equal content is stored once. */
export interface CopyStore {
  /** Stores the bytes and returns their name. */
  put(bytes: Buffer): Promise<string>;
  /** Returns the bytes that are stored under a name; undefined if they are missing or damaged. */
  find(name: string): Promise<Buffer | undefined>;
  /** Removes all stored bytes except those under these names. */
  removeExcept(names: ReadonlySet<string>): Promise<void>;
}

/** Creates a store in a directory that only this user can read. The first copy creates the directory. */
export function createCopyStore(directory: string): CopyStore {
  return {
    async put(bytes) {
      const name = nameOf(bytes);
      const file = path.join(directory, name);
      if (!(await exists(file))) await writePrivate(file, bytes);
      return name;
    },
    async find(name) {
      try {
        const bytes = await readFile(path.join(directory, name));
        return nameOf(bytes) === name ? bytes : undefined;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async removeExcept(names) {
      const present = await readdir(directory).catch(() => []);
      const unwanted = present.filter((name) => !names.has(name));
      await Promise.all(unwanted.map((name) => rm(path.join(directory, name), { force: true })));
    },
  };
}

/** Writes a file that only this user can read. A failed write leaves no partial file. */
export async function writePrivate(file: string, bytes: Buffer | string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function nameOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
