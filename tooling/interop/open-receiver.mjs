import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";

/** Opens a receiver of push notifications on this machine. */
export async function openReceiver() {
  const received = [];
  const news = new EventEmitter();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    received.push({ headers: request.headers, json: JSON.parse(body) });
    response.writeHead(200).end();
    news.emit("request");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/hook`,
    /** Waits for a notification that fulfils a condition. */
    async until(holds) {
      for (;;) {
        const found = received.find(holds);
        if (found !== undefined) return found;
        await once(news, "request");
      }
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
