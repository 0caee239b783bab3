import { once } from "node:events";
import { createServer } from "node:http";
import { readGemini, writeGemini } from "./speak-gemini.mjs";
import { readOpenai, writeOpenai } from "./speak-openai.mjs";

/** The interfaces of vendors that the stand-in imitates. */
const SPEECHES = [
  { path: /:(?:streamGenerateContent|generateContent)/, read: readGemini, write: writeGemini },
  { path: /\/chat\/completions$/, read: readOpenai, write: writeOpenai },
];

/**
 * Opens a stand-in of a model on this machine. It follows the orders of the last prompt. Requests without tools
 * come from the agent itself, for example for a title, and get a short text.
 */
export async function openModel() {
  const requests = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString() || "{}");
    const { pathname } = new URL(request.url, "http://localhost");
    const speech = SPEECHES.find(({ path }) => path.test(pathname));
    requests.push({ path: pathname, headers: request.headers, body });
    if (speech === undefined) {
      response.writeHead(404, { "Content-Type": "application/json" }).end("{}");
      return;
    }
    await speech.write(speech.read(body), { response, isStreamed: isStreamed(pathname, body) });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** All requests, in order. */
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function isStreamed(pathname, { stream }) {
  return pathname.endsWith(":streamGenerateContent") || stream === true;
}
