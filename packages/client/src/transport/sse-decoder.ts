import { TransportError } from "../errors/transport-error.js";

/** One server-sent event. */
export interface SseEvent {
  readonly data: string;
  /** The last `id:` so far; a client sends it back as Last-Event-ID. */
  readonly id: string | undefined;
}

/** Maximum length of a text, which is far longer than any message of an agent. */
const MAX_TEXT_LENGTH = 64 * 1024 * 1024;

/** Decodes chunks of bytes, which may be cut anywhere. Comments and unknown fields are ignored. */
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

/** Throws if a text is longer than any message of an agent. */
export function checkLength({ length }: { readonly length: number } = ""): void {
  if (length > MAX_TEXT_LENGTH) {
    throw new TransportError("unreadable", "a text of the agent is too long");
  }
}

/** Creates a function that splits text into lines. A line that arrives in many pieces is joined once. */
export function createLineReader(): (text: string) => readonly string[] {
  let pieces: string[] = [];
  let length = 0;
  // True if the last text ended with a carriage return. A newline at the start of the next text then
  // belongs to the same line break.
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
