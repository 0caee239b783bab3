// The port of these tests accepts connections and never answers in full, like the port of a suspended
// process.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { SetupError } from "@dt/schema";
import { expect, test } from "vitest";
import { connect } from "./connect.js";

/** Opens a listener that only sends the given text. */
async function openSilentPort(response = "") {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    if (response !== "") socket.once("data", () => socket.write(response));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connected: () => once(server, "connection"),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

test.each([
  ["sends nothing", ""],
  ["starts a response and stops", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"],
])("connect times out if a port accepts the connection and %s", async (_, response) => {
  await using port = await openSilentPort(response);

  const failed = await connect(port.url, { timeoutMs: 50 }).catch((reason: unknown) => reason);

  expect(failed).toBeInstanceOf(SetupError);
  expect((failed as Error).message).toBe(
    `${port.url} did not answer within 0.05 s; check the port and the agent's log, or pass a larger \`timeoutMs\``,
  );
});

test.each([30_000, Number.POSITIVE_INFINITY])(
  "a signal aborts connecting to a silent port, timeoutMs: %s",
  async (timeoutMs) => {
    await using port = await openSilentPort();
    const abort = new AbortController();
    const connected = port.connected();

    const connecting = connect(port.url, { timeoutMs, signal: abort.signal });
    await connected;
    abort.abort(new Error("enough"));

    await expect(connecting).rejects.toThrow("enough");
  },
);

test("connect times out while it waits for a token", async () => {
  await using port = await openSilentPort();
  const token = () => new Promise<string>(() => {});

  const failed = await connect(port.url, { token, timeoutMs: 50 }).catch(String);

  expect(failed).toContain("did not answer within");
});
