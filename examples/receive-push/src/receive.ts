import { createServer, type Server } from "node:http";
import { isGenuine } from "./is-genuine.js";

/** A receiver of pushes: takes what is genuine, once, and answers 204 so that the next one comes. */
export function createReceiver(key: string, onState: (state: string) => void): Server {
  const seen = new Set<string>();
  return createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (!isGenuine(String(request.headers["x-dt-signature"]), body, key)) {
      response.writeHead(401).end();
      return;
    }
    // A call whose answer was lost comes again under the same name.
    const delivery = String(request.headers["x-dt-delivery"]);
    const { statusUpdate, task } = JSON.parse(body);
    if (!seen.has(delivery)) onState((statusUpdate ?? task).status.state);
    seen.add(delivery);
    response.writeHead(204).end();
  });
}
