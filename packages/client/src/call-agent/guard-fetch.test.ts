import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { TransportError } from "../errors/transport-error.js";
import { createAgentFetch } from "./guard-fetch.js";

/** Serves a listener on a port of its own, and a guarded fetch for it. */
async function openGuarded(listener: RequestListener, maxBytes = 1_000) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stops: TransportError[] = [];
  const fetch = createAgentFetch({ origin, maxBytes, stop: (reason) => stops.push(reason) });
  return {
    origin,
    stops,
    get: async (path: string, init?: RequestInit) =>
      await (await fetch(`${origin}${path}`, init)).text(),
    fetch,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

test("the responses of one call may have a limited total size [SRV-24]", async () => {
  await using agent = await openGuarded((_, response) => response.end("x".repeat(600)));

  expect(await agent.get("/one")).toHaveLength(600);
  await expect(agent.get("/two")).rejects.toThrow();
  expect(agent.stops.map(({ message }) => message)).toEqual(["it sent more than 1000 bytes"]);
});

test("an endless response is stopped while it is read [SRV-24]", async () => {
  let isClosed: Promise<unknown> = Promise.resolve();
  await using agent = await openGuarded((_, response) => {
    isClosed = once(response, "close");
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(1_000)));
      response.once("drain", more);
    };
    more();
  });

  await expect(agent.get("/")).rejects.toThrow();
  await isClosed;
  expect(agent.stops).toHaveLength(1);
});

test("a redirect on the same host keeps the method and the body [SRV-24]", async () => {
  await using agent = await openGuarded(async (request, response) => {
    if (request.url === "/old") {
      response.writeHead(307, { Location: "/now" }).end();
      return;
    }
    const body = Buffer.concat(await request.toArray()).toString();
    response.end(`${request.method} ${request.url} ${body}`);
  });

  expect(await agent.get("/old", { method: "POST", body: "text" })).toBe("POST /now text");
});

test("a redirect that would change a POST into a GET is not followed [SRV-24]", async () => {
  await using agent = await openGuarded((_, response) => {
    response.writeHead(302, { Location: "/now" }).end("moved");
  });

  const response = await agent.fetch(agent.origin, { method: "POST", body: "text" });

  expect([response.status, await response.text()]).toEqual([302, "moved"]);
});

test("a circle of redirects ends [SRV-24]", async () => {
  await using agent = await openGuarded((_, response) => {
    response.writeHead(307, { Location: "/again" }).end();
  });

  await expect(agent.get("/")).rejects.toThrow("it redirected more than 5 times");
});
