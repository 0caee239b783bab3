import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import path from "node:path";
import type { Part } from "@dt/schema";
import { listFiles } from "./list-files.js";

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Maximum number of bytes to read from one file. */
const MAX_FILE_BYTES = 64_000;

/** Maximum number of bytes to read from all files of one prompt. */
const MAX_TOTAL_BYTES = 256_000;

/** Maximum number of mentions in one prompt. */
const MAX_MENTIONS = 1_000;

/** Maximum number of characters in a mentioned path. */
const MAX_PATH_LENGTH = 4_096;

/** Maximum number of files that are listed for a mentioned directory. */
const MAX_LISTED_FILES = 500;

/** Creates the parts of a typed prompt: its text and the files that it mentions. */
export async function promptParts(text: string, directory: string): Promise<readonly Part[]> {
  return [{ type: "text", text }, ...(await readMentions(text, directory))];
}

/**
 * Reads the files that a prompt mentions as `@path`, and lists the files of mentioned directories. A path
 * that is missing, outside the directory or not text is skipped; the agent can open a skipped file with a
 * tool, which asks for permission.
 */
export async function readMentions(text: string, directory: string): Promise<readonly Part[]> {
  const root = await realpath(directory).catch(() => directory);
  const parts: Part[] = [];
  const seen = new Set<string>();
  let remainingBytes = MAX_TOTAL_BYTES;
  for (const mention of findMentions(text)) {
    const file = await findInside(mention, root);
    if (file === undefined || seen.has(file) || remainingBytes <= 0) continue;
    seen.add(file);
    const maxBytes = Math.min(remainingBytes, MAX_FILE_BYTES);
    const content = await readContent(file, maxBytes).catch(() => undefined);
    if (content === undefined) continue;
    const bytes = Buffer.from(content);
    remainingBytes -= bytes.length;
    const name = path.relative(root, file) || ".";
    parts.push({ type: "file", name, mediaType: "text/plain", bytes: bytes.toString("base64") });
  }
  return parts;
}

/** Finds the mentioned paths. A backslash escapes a space in a path; completion writes paths in this form. */
export function findMentions(text: string): readonly string[] {
  const mentions: string[] = [];
  for (const [, written = ""] of text.matchAll(/(?<=^|[\s(])@((?:\\.|[^\s\\])+)/g)) {
    if (written.length <= MAX_PATH_LENGTH) mentions.push(written.replace(/\\(.)/g, "$1"));
    if (mentions.length === MAX_MENTIONS) break;
  }
  return mentions;
}

/**
 * Finds the mentioned file, even if punctuation follows. Resolves with undefined if the file is missing or
 * outside the root.
 */
async function findInside(mention: string, root: string): Promise<string | undefined> {
  for (const name of new Set([mention, withoutSentenceEnd(mention)])) {
    if (name === "") continue;
    const file = await realpath(path.resolve(root, name)).catch(() => undefined);
    if (file === undefined) continue;
    return file === root || file.startsWith(`${root}${path.sep}`) ? file : undefined;
  }
  return undefined;
}

function withoutSentenceEnd(mention: string): string {
  let end = mention.length;
  while (end > 0 && ".,;:!?)".includes(mention.charAt(end - 1))) end -= 1;
  return mention.slice(0, end);
}

async function readContent(file: string, maxBytes: number): Promise<string | undefined> {
  // Without these flags, opening a named pipe would block forever, and a link that has replaced the file
  // since the check would be followed.
  await using handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const openedPath = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : file;
  if ((await realpath(openedPath)) !== file) return undefined;
  const found = await handle.stat();
  if (found.isDirectory()) return await readDirectory(openedPath);
  if (!found.isFile()) return undefined;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
  const read = buffer.subarray(0, bytesRead);
  if (read.includes(0)) return undefined;
  if (found.size <= bytesRead) return read.toString("utf8");
  return `${read.toString("utf8")}\n[the first ${bytesRead} of ${found.size} bytes]`;
}

async function readDirectory(directory: string): Promise<string> {
  const files = [...(await listFiles(directory, new AbortController().signal))].sort();
  const more = files.length - MAX_LISTED_FILES;
  return [...files.slice(0, MAX_LISTED_FILES), ...(more > 0 ? [`[${more} more files]`] : [])].join(
    "\n",
  );
}
