/** One server-sent event. */
export interface SseEvent {
  readonly data: string;
  /** The last `id:` so far: what goes back as Last-Event-ID. */
  readonly id: string | undefined;
}

/** Bytes → events, however the bytes are cut. Comments and unknown fields are passed over. */
export async function* decodeSse(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<SseEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  let id: string | undefined;
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) yield { data: data.join("\n"), id };
        data = [];
        continue;
      }
      const [, field, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (field === "data") data.push(value);
      if (field === "id") id = value;
    }
  }
}
