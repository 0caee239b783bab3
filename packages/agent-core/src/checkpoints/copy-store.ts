import { createHash, randomUUID } from "node:crypto";
import { access, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "../workspace/file-error.js";

/** Contents under their own hash: the same content is kept once. */
export interface CopyStore {
  /** Keeps a content; gives its name. */
  put(bytes: Buffer): Promise<string>;
  /** The content of that name; undefined where it is gone or no longer what it was. */
  find(name: string): Promise<Buffer | undefined>;
  /** Removes whatever is not named. */
  keepOnly(names: ReadonlySet<string>): Promise<void>;
}

/** Copies in a directory that only this user may read; it is made with the first copy. */
export function createCopyStore(directory: string): CopyStore {
  return {
    async put(bytes) {
      const name = nameOf(bytes);
      const place = path.join(directory, name);
      if (!(await isThere(place))) await writePrivate(place, bytes);
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
    async keepOnly(names) {
      const present = await readdir(directory).catch(() => []);
      const unwanted = present.filter((name) => !names.has(name));
      await Promise.all(unwanted.map((name) => rm(path.join(directory, name), { force: true })));
    },
  };
}

/** Writes a file that only this user may read, whole or not at all. */
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

async function isThere(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
