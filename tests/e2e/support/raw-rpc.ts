/** One server-sent event: its id, and its data as JSON. */
export interface RawEvent {
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  readonly json: any;
}

/** Sends a JSON-RPC request by plain HTTP. */
export async function post(
  url: string,
  method: string,
  params: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
  });
}

/** Reads the stream of a response to its end. */
export async function readStream(response: Response): Promise<readonly RawEvent[]> {
  return parseEvents(await response.text());
}

/** Parses server-sent events. */
export function parseEvents(text: string): readonly RawEvent[] {
  return text
    .split("\n\n")
    .filter((block) => /^data:/m.test(block))
    .map((block) => ({
      id: /^id: (.*)$/m.exec(block)?.[1],
      json: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "null"),
    }));
}
