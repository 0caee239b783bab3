// A baseline: server-sent events with Node alone. It writes the updates that the parent sends, one by one.
// `/` encodes each update just before it is written. `/ready` writes text that was encoded in advance.
import { once } from "node:events";
import { createServer } from "node:http";
import { serveParent } from "./serve-parent.mjs";

let frames = [];
let updates = [];

const server = createServer(async (request, response) => {
  request.resume();
  await once(request, "end");
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
  for (const frame of request.url === "/ready" ? frames : encoded()) {
    if (!response.write(frame)) await once(response, "drain");
  }
  response.end();
}).listen(0, "127.0.0.1");

function* encoded() {
  for (const { head, update } of updates) yield `${head}data: ${JSON.stringify(update)}\n\n`;
}

await once(server, "listening");
serveParent({
  url: `http://127.0.0.1:${server.address().port}/`,
  close: () => server.close(),
  answer: {
    frames(value) {
      frames = value;
      updates = value.map((frame) => {
        const [head, json] = frame.split("data: ");
        return { head, update: JSON.parse(json) };
      });
    },
  },
});
