import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import path from "node:path";
import type { Part } from "@dt/schema";
import { listFiles } from "./list-files.js";

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** How much of a file is read in, and of all files of a prompt together. */
const mostBytes = 64_000;
const mostInAll = 256_000;

/** How many names are looked for, and how long a path may be. */
const mostMentions = 1_000;
const longestPath = 4_096;

/** How many files of a directory are listed. */
const mostListed = 500;

/** A prompt that was typed here, with the files of a directory that it names. */
export async function promptParts(text: string, directory: string): Promise<readonly Part[]> {
  return [{ type: "text", text }, ...(await readMentions(text, directory))];
}

/**
 * What goes with a prompt that names files of a directory as `@path`: their text, or of a directory what
 * is in it. What is not there, elsewhere, or no text is left to the agent and its tools, which ask.
 */
export async function readMentions(text: string, directory: string): Promise<readonly Part[]> {
  const root = await realpath(directory).catch(() => directory);
  const parts: Part[] = [];
  const seen = new Set<string>();
  let left = mostInAll;
  for (const mention of findMentions(text)) {
    const file = await findInside(mention, root);
    if (file === undefined || seen.has(file) || left <= 0) continue;
    seen.add(file);
    const content = await readContent(file, Math.min(left, mostBytes)).catch(() => undefined);
    if (content === undefined) continue;
    const bytes = Buffer.from(content);
    left -= bytes.length;
    const name = path.relative(root, file) || ".";
    parts.push({ type: "file", name, mediaType: "text/plain", bytes: bytes.toString("base64") });
  }
  return parts;
}

/** The paths that a prompt names, as completion writes them: a backslash before what would end them. */
export function findMentions(text: string): readonly string[] {
  const mentions: string[] = [];
  for (const [, written = ""] of text.matchAll(/(?<=^|[\s(])@((?:\\.|[^\s\\])+)/g)) {
    if (written.length <= longestPath) mentions.push(written.replace(/\\(.)/g, "$1"));
    if (mentions.length === mostMentions) break;
  }
  return mentions;
}

/** The file that is named, also before the end of a sentence; undefined where it is not in the directory. */
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

async function readContent(file: string, most: number): Promise<string | undefined> {
  // A pipe would wait for ever, and a link that took the file's place may lead anywhere.
  await using handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const held = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : file;
  if ((await realpath(held)) !== file) return undefined;
  const found = await handle.stat();
  if (found.isDirectory()) return await readDirectory(held);
  if (!found.isFile()) return undefined;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, 0);
  const read = buffer.subarray(0, bytesRead);
  if (read.includes(0)) return undefined;
  if (found.size <= bytesRead) return read.toString("utf8");
  return `${read.toString("utf8")}\n[the first ${bytesRead} of ${found.size} bytes]`;
}

async function readDirectory(directory: string): Promise<string> {
  const files = [...(await listFiles(directory, new AbortController().signal))].sort();
  const more = files.length - mostListed;
  return [...files.slice(0, mostListed), ...(more > 0 ? [`[${more} more files]`] : [])].join("\n");
}
