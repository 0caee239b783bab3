import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A stand-in for OpenAI whose reply the test sends in pieces. */
export interface ManualModel extends AsyncDisposable {
  /** The environment of a dt that uses this model. */
  readonly environment: Readonly<Record<string, string>>;
  /** Waits for the first request, and sends text in its reply. */
  say(text: string): Promise<void>;
  /** Ends the reply. */
  end(): Promise<void>;
}

export async function openManualModel(): Promise<ManualModel> {
  let begin: (response: ServerResponse) => void = () => {};
  const reply = new Promise<ServerResponse>((resolve) => {
    begin = resolve;
  });
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    begin(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    environment: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "none" },
    async say(content) {
      const choices = [{ index: 0, delta: { content } }];
      (await reply).write(`data: ${JSON.stringify({ choices })}\n\n`);
    },
    async end() {
      const choices = [{ index: 0, delta: {}, finish_reason: "stop" }];
      (await reply).end(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
