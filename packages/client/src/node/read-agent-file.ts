/// <reference types="node" />
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { userInfo } from "node:os";
import { type LocalAgent, MAX_AGENT_FILE_BYTES, parseAgentFile } from "@dt/schema";

/**
 * Reads an agent file. Returns undefined if there is no file, or if the file is a link, is too large, belongs to
 * another user, gives other people access, or has other content.
 */
export async function readAgentFile(file: string): Promise<LocalAgent | undefined> {
  let handle: FileHandle | undefined;
  try {
    // The defaults are for Windows, which lacks these two flags. Without O_NONBLOCK, opening a named pipe
    // would block.
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
  // On Windows, `uid` is -1. No check is needed there, because the home directory is private.
  return uid === -1 || (found.uid === uid && (found.mode & 0o077) === 0);
}
