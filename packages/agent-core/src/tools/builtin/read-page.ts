import type { FileHandle } from "node:fs/promises";
import { TextDecoder } from "node:util";
import { detectEncoding } from "../../workspace/text/text-encoding.js";

/** A range of lines of a file. */
export interface Page {
  readonly lines: readonly string[];
  /**
   * Number of the line after this page, counted from 1; undefined if the page has the last line.
   */
  readonly nextLine: number | undefined;
  /** Number of lines of the file; undefined if not all of them were counted. */
  readonly totalLines: number | undefined;
  /** True if the last line of the file has a line end. */
  readonly endsWithNewline: boolean;
}

/** The range to read. It starts with line `offset`, counted from 1. */
export interface PageOptions {
  readonly offset: number;
  readonly limit: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const MAX_LINE_LENGTH = 2_000;
const CHUNK_BYTES = 65_536;
/** Number of bytes after which the lines that follow the page are no longer counted. */
const MAX_COUNTED_BYTES = 20_000_000;

/** Reads a range of lines of a text file of any size, in bounded memory. */
export function readPage(handle: FileHandle, options: PageOptions): Promise<Page> {
  return buildPage(readChunks(handle), options);
}

/** Returns a range of lines of a text. */
export function pageOf(text: string, options: PageOptions): Promise<Page> {
  return buildPage([text], options);
}

async function buildPage(
  chunks: Iterable<string> | AsyncIterable<string>,
  options: PageOptions,
): Promise<Page> {
  const page = createPageBuilder(options);
  let readBytes = 0;
  for await (const chunk of chunks) {
    options.signal.throwIfAborted();
    readBytes += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      page.add(chunk, start, end);
      page.endLine();
      start = end + 1;
    }
    page.add(chunk, start, chunk.length);
    if (page.isFull() && readBytes > MAX_COUNTED_BYTES) return page.build({ isAtEnd: false });
  }
  return page.build({ isAtEnd: true });
}

/** Collects the wanted lines of a file that arrives in pieces; long lines are cut. */
function createPageBuilder({ offset, limit, maxBytes }: PageOptions) {
  const lines: string[] = [];
  let line = 1;
  let bytes = 0;
  let text = "";
  let length = 0;
  let nextLine: number | undefined;

  function endLine(): void {
    if (line >= offset && nextLine === undefined) addLine();
    line += 1;
    text = "";
    length = 0;
  }

  function addLine(): void {
    const isWhole = length === text.length;
    const shown = isWhole
      ? text.replace(/\r$/, "")
      : `${text}… [line of ${length} characters, cut]`;
    bytes += Buffer.byteLength(shown) + 1;
    if (lines.length > 0 && (lines.length === limit || bytes > maxBytes)) nextLine = line;
    else lines.push(shown);
  }

  return {
    endLine,
    add(chunk: string, start: number, end: number): void {
      length += end - start;
      if (line < offset || nextLine !== undefined) return;
      text += chunk.slice(start, Math.min(end, start + MAX_LINE_LENGTH - text.length));
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
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let decoder: TextDecoder | undefined;
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const bytes = buffer.subarray(0, bytesRead);
    // TextDecoder removes the byte order mark itself.
    decoder ??= new TextDecoder(detectEncoding(bytes).encoding.replace("-bom", ""));
    yield decoder.decode(bytes, { stream: true });
  }
  const rest = decoder?.decode();
  if (rest) yield rest;
}
