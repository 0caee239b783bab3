import type { FileHandle } from "node:fs/promises";
import { TextDecoder } from "node:util";
import { detectEncoding } from "../../workspace/text/text-encoding.js";

/** Some lines of a file. */
export interface Page {
  readonly lines: readonly string[];
  /** The line after them, from 1; undefined where the file ends with them. */
  readonly nextLine: number | undefined;
  /** How many lines the file has; undefined where nobody counted to its end. */
  readonly totalLines: number | undefined;
  /** Whether the last of all lines has an end. */
  readonly endsWithNewline: boolean;
}

/** Which lines: from `offset`, which counts from 1, up to `limit`, and up to so many bytes. */
export interface PageOptions {
  readonly offset: number;
  readonly limit: number;
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

const longestLine = 2_000;
const chunkBytes = 65_536;
/** Past this nobody counts the lines that follow. */
const mostCountedBytes = 20_000_000;

/** Reads some lines of a text file of any size, in bounded memory. */
export async function readPage(handle: FileHandle, options: PageOptions): Promise<Page> {
  const page = createPageBuilder(options);
  let readBytes = 0;
  for await (const chunk of readChunks(handle)) {
    options.signal.throwIfAborted();
    readBytes += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      page.add(chunk, start, end);
      page.endLine();
      start = end + 1;
    }
    page.add(chunk, start, chunk.length);
    if (page.isFull() && readBytes > mostCountedBytes) return page.build({ isAtEnd: false });
  }
  return page.build({ isAtEnd: true });
}

/** Takes a file in pieces of lines; keeps the lines that are wanted, and of long ones the beginning. */
function createPageBuilder({ offset, limit, mostBytes }: PageOptions) {
  const lines: string[] = [];
  let line = 1;
  let bytes = 0;
  let text = "";
  let length = 0;
  let nextLine: number | undefined;

  function endLine(): void {
    if (line >= offset && nextLine === undefined) keepLine();
    line += 1;
    text = "";
    length = 0;
  }

  function keepLine(): void {
    const isWhole = length === text.length;
    const shown = isWhole
      ? text.replace(/\r$/, "")
      : `${text}… [line of ${length} characters, cut]`;
    bytes += Buffer.byteLength(shown) + 1;
    if (lines.length > 0 && (lines.length === limit || bytes > mostBytes)) nextLine = line;
    else lines.push(shown);
  }

  return {
    endLine,
    add(chunk: string, start: number, end: number): void {
      length += end - start;
      if (line < offset || nextLine !== undefined) return;
      text += chunk.slice(start, Math.min(end, start + longestLine - text.length));
    },
    isFull: () => nextLine !== undefined || lines.length === limit,
    build({ isAtEnd }: { isAtEnd: boolean }): Page {
      const endsWithNewline = length === 0;
      if (!isAtEnd)
        return { lines, nextLine: nextLine ?? line, totalLines: undefined, endsWithNewline };
      if (!endsWithNewline) endLine();
      return { lines, nextLine, totalLines: line - 1, endsWithNewline };
    },
  };
}

async function* readChunks(handle: FileHandle): AsyncGenerator<string> {
  const buffer = Buffer.alloc(chunkBytes);
  let decoder: TextDecoder | undefined;
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const bytes = buffer.subarray(0, bytesRead);
    // A decoder takes away the byte order mark itself.
    decoder ??= new TextDecoder(detectEncoding(bytes).encoding.replace("-bom", ""));
    yield decoder.decode(bytes, { stream: true });
  }
  const rest = decoder?.decode();
  if (rest) yield rest;
}
