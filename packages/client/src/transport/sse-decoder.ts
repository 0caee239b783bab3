import { TransportError } from "../errors/transport-error.js";

/** One server-sent event. */
export interface SseEvent {
  readonly data: string;
  /** The last `id:` so far: what goes back as Last-Event-ID. */
  readonly id: string | undefined;
}

/** The longest text that is read: far more than an agent has to say. */
const MAX_TEXT_LENGTH = 64 * 1024 * 1024;

/** Bytes → events, however the bytes are cut. Comments and unknown fields are passed over. */
export async function* decodeSse(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<SseEvent, void, undefined> {
  const decoder = new TextDecoder();
  const readLines = createLineReader();
  let data: string | undefined;
  let id: string | undefined;
  for await (const chunk of bytes) {
    for (const line of readLines(decoder.decode(chunk, { stream: true }))) {
      if (line === "") {
        if (data !== undefined) yield { data, id };
        data = undefined;
        continue;
      }
      const [, field, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
      checkLength(data);
      if (field === "id") id = value;
    }
  }
}

/** Throws for what is longer than anything that an agent has to say. */
export function checkLength({ length }: { readonly length: number } = ""): void {
  if (length > MAX_TEXT_LENGTH) {
    throw new TransportError("unreadable", "the agent sent a text that has no end");
  }
}

/** Cuts text into lines. A line is put together once, however many pieces it comes in. */
export function createLineReader(): (text: string) => readonly string[] {
  let pieces: string[] = [];
  let length = 0;
  // After a return at the end of one piece, a newline at the start of the next is the same break.
  let skipsNewline = false;
  return (text) => {
    const lines: string[] = [];
    const breaks = /\r\n|\n|\r/g;
    let start = skipsNewline && text.startsWith("\n") ? 1 : 0;
    breaks.lastIndex = start;
    for (let found = breaks.exec(text); found !== null; found = breaks.exec(text)) {
      pieces.push(text.slice(start, found.index));
      lines.push(pieces.join(""));
      pieces = [];
      length = 0;
      start = breaks.lastIndex;
    }
    if (text !== "") skipsNewline = text.endsWith("\r");
    pieces.push(text.slice(start));
    length += text.length - start;
    checkLength({ length });
    return lines;
  };
}
