import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model that speaks OpenAI's protocol and says what it is told to, when it is told to. */
export interface LedModel extends AsyncDisposable {
  /** What dt is started with to talk to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Says something in the answer that is under way; waits for one. */
  say(text: string): Promise<void>;
  /** Ends the answer. */
  end(): Promise<void>;
}

/** Starts a model whose answer the test gives piece by piece. */
export async function openLedModel(): Promise<LedModel> {
  let begin: (response: ServerResponse) => void = () => {};
  const answer = new Promise<ServerResponse>((resolve) => {
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
      (await answer).write(`data: ${JSON.stringify({ choices })}\n\n`);
    },
    async end() {
      const choices = [{ index: 0, delta: {}, finish_reason: "stop" }];
      (await answer).end(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
