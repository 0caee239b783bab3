import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A stand-in for OpenAI that streams one text, a few letters at a time. */
export interface StreamingModel extends AsyncDisposable {
  /** The environment of a dt that uses this model. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function openStreamingModel(text: string): Promise<StreamingModel> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (let at = 0; at < text.length; at += 5) {
      const choices = [{ index: 0, delta: { content: text.slice(at, at + 5) } }];
      response.write(`data: ${JSON.stringify({ choices })}\n\n`);
    }
    const usage = { prompt_tokens: 1234, completion_tokens: 56, total_tokens: 1290 };
    const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage };
    response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    environment: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "none" },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
