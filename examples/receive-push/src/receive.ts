import { createServer, type Server } from "node:http";
import { isGenuine } from "./is-genuine.js";

/** Creates a push receiver that accepts each genuine delivery once and answers 204. */
export function createReceiver(key: string, onState: (state: string) => void): Server {
  const seen = new Set<string>();
  return createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (!isGenuine(String(request.headers["x-dt-signature"]), body, key)) {
      response.writeHead(401).end();
      return;
    }
    // A delivery whose response was lost is repeated with the same id.
    const delivery = String(request.headers["x-dt-delivery"]);
    const { statusUpdate, task } = JSON.parse(body);
    if (!seen.has(delivery)) onState((statusUpdate ?? task).status.state);
    seen.add(delivery);
    response.writeHead(204).end();
  });
}
