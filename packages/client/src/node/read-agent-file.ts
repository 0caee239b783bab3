/// <reference types="node" />
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { userInfo } from "node:os";
import { type LocalAgent, MAX_AGENT_FILE_BYTES, parseAgentFile } from "@dt/schema";

/**
 * Reads an agent file; undefined if it is not one. A file that other people could have written, or could read, is
 * ignored.
 */
export async function readAgentFile(file: string): Promise<LocalAgent | undefined> {
  let handle: FileHandle | undefined;
  try {
    // Windows has no such flags. A named pipe would block without O_NONBLOCK.
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!(await isPrivate(handle))) return undefined;
    return parseAgentFile(JSON.parse(await handle.readFile("utf8")));
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

async function isPrivate(handle: FileHandle): Promise<boolean> {
  const found = await handle.stat();
  if (!found.isFile() || found.size > MAX_AGENT_FILE_BYTES) return false;
  const { uid } = userInfo();
  // On Windows, the uid is -1, and the home directory is private.
  return uid === -1 || (found.uid === uid && (found.mode & 0o077) === 0);
}
