import { openFile } from "../../workspace/open-file.js";

/** A file that becomes context. */
export interface ContextFile {
  /** Its path as the person knows it. */
  readonly file: string;
  /** Its path with every link resolved. */
  readonly real: string;
}

/** What the model is told before anything else. */
export interface ContextFiles {
  /** The texts under their names, from the general to the specific; empty where there are none. */
  readonly text: string;
  /** The files that were used, in the same order. */
  readonly files: readonly string[];
}

/**
 * Joins files, given from the general to the specific, within a budget. The specific ones are read
 * first, so that what does not fit is cut from the general ones; a note says what was cut.
 */
export async function readContext(
  contextFiles: readonly ContextFile[],
  maxBytes: number,
): Promise<ContextFiles> {
  const parts: string[] = [];
  const files: string[] = [];
  let budget = maxBytes;
  for (const { file, real } of contextFiles.toReversed()) {
    const head = await readHead(real, budget).catch(() => undefined);
    if (head === undefined || head.sizeBytes === 0) continue;
    budget -= head.readBytes;
    parts.unshift(toPart(file, head));
    files.unshift(file);
  }
  return { text: parts.join("\n\n"), files };
}

interface Head {
  readonly text: string;
  readonly readBytes: number;
  readonly sizeBytes: number;
}

async function readHead(file: string, maxBytes: number): Promise<Head> {
  // A link that took the file's place after it was found is not followed.
  const handle = await openFile({ absolute: file, display: file, isInside: true });
  try {
    const { size } = await handle.stat();
    const wanted = Buffer.alloc(Math.min(size, maxBytes));
    const { bytesRead } = await handle.read(wanted, 0, wanted.length, 0);
    // In streaming mode half a character at the end is left out instead of becoming nonsense.
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
