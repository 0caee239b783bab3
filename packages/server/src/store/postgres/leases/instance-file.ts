import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type FileLock, lockFile } from "../../sqlite/database/lock-file.js";

/** Name of an instance, which no other process has until it is released. */
export interface InstanceName extends FileLock {
  readonly name: string;
}

/**
 * Reads the name of an instance from a file, and creates the file if there is none. The file is locked while the
 * process runs. A process that gets the lock knows that the earlier process with this name has ended.
 */
export async function lockInstanceFile(file: string): Promise<InstanceName> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const lock = lockFile(file);
  try {
    return { name: await readName(file), release: lock.release };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function readName(file: string): Promise<string> {
  const kept = await readFile(file, "utf8").catch(() => "");
  if (/^[\da-f-]{36}$/.test(kept.trim())) return kept.trim();
  const name = randomUUID();
  await writeFile(file, `${name}\n`, { mode: 0o600 });
  return name;
}
