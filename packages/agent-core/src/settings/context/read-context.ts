import { openRegularFile } from "../../workspace/open-regular-file.js";
import { createFileCache, type StampedFile } from "../files/file-cache.js";

/** A file that becomes context; `file` is its path before links are resolved. */
export interface ContextFile extends StampedFile {
  /** Path with every link resolved. */
  readonly real: string;
}

/** The context that the model gets before the conversation. */
export interface ContextFiles {
  /** The texts with their file names, from general to specific; empty if there are no files. */
  readonly text: string;
  /** The files that were used, in the same order. */
  readonly files: readonly string[];
}

/** Default limit of the total size of all context files. */
export const MAX_CONTEXT_BYTES = 128 * 1024;

const CONTEXTS = createFileCache<ContextFiles>();

/**
 * Joins files, ordered from general to specific, up to a size limit. Specific files are read first, so the
 * limit cuts the general files. A note in the text reports each cut.
 */
export async function readContext(
  contextFiles: readonly ContextFile[],
  maxBytes: number,
): Promise<ContextFiles> {
  // All sessions of a workspace share one text, because it may be long. Only texts that were read with the default
  // limit are shared.
  const known = maxBytes === MAX_CONTEXT_BYTES ? CONTEXTS.find(contextFiles) : undefined;
  if (known !== undefined) return known;
  const parts: string[] = [];
  const files: string[] = [];
  let budget = maxBytes;
  let isComplete = maxBytes === MAX_CONTEXT_BYTES;
  for (const { file, real } of contextFiles.toReversed()) {
    const head = await readHead(real, budget).catch(() => undefined);
    if (head === undefined) isComplete = false;
    if (head === undefined || head.sizeBytes === 0) continue;
    budget -= head.readBytes;
    parts.unshift(toPart(file, head));
    files.unshift(file);
  }
  const context = { text: parts.join("\n\n"), files };
  if (isComplete) CONTEXTS.set(contextFiles, context);
  return context;
}

interface Head {
  readonly text: string;
  readonly readBytes: number;
  readonly sizeBytes: number;
}

async function readHead(file: string, maxBytes: number): Promise<Head> {
  // openRegularFile does not follow a link that has replaced the file in the meantime.
  const handle = await openRegularFile({ absolute: file, display: file, isInside: true });
  try {
    const { size } = await handle.stat();
    const wanted = Buffer.alloc(Math.min(size, maxBytes));
    const { bytesRead } = await handle.read(wanted, 0, wanted.length, 0);
    // Streaming mode leaves out an incomplete character at the end.
    const text = new TextDecoder().decode(wanted.subarray(0, bytesRead), { stream: true });
    return { text, readBytes: bytesRead, sizeBytes: size };
  } finally {
    await handle.close();
  }
}

function toPart(file: string, { text, readBytes, sizeBytes }: Head): string {
  const cut = sizeBytes - readBytes;
  const note = cut > 0 ? `\n[the last ${cut} of ${sizeBytes} bytes of this file were cut]` : "";
  return `--- ${file} ---\n${text.trim()}${note}`;
}
