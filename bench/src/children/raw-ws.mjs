// A baseline: a broadcast with the package ws alone. It sends the frames of the parent to every socket.
import { once } from "node:events";
import { WebSocketServer } from "ws";
import { serveParent } from "./serve-parent.mjs";

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
await once(server, "listening");
serveParent({
  url: `ws://127.0.0.1:${server.address().port}/ws`,
  close: () => server.close(),
  answer: {
    async broadcast(frames) {
      for (const [index, frame] of frames.entries()) {
        for (const socket of server.clients) socket.send(frame);
        // Pauses after every 256 frames, because dt-server also pauses there: it waits for its store.
        if (index % 256 === 255) await new Promise((resolve) => setImmediate(resolve));
      }
    },
  },
});
