import { connect } from "node:net";
import { scoped, startChild } from "../child.mjs";
import { mb } from "../figures.mjs";
import { readAll, startTask, streamBody } from "../rpc.mjs";

const EVENTS = 200_000;

/**
 * Memory that a client costs if it never reads its stream: the maximum of the heap with this client, minus
 * the maximum without subscribers. The heap is measured repeatedly, each time after a garbage collection.
 * The row also shows the peak of the resident memory. It is not compared with the budget, because it
 * depends on when the garbage collector runs.
 */
export const slowClientRow = {
  name: "a client that never reads, 200,000 events: more memory at the peak",
  budget: "≤ 16 MB",
  limit: 16 * 1024 * 1024,
  async run() {
    const alone = await scoped((own) => measure(false, own));
    const stalled = await scoped((own) => measure(true, own));
    const value = Math.max(0, stalled.maxHeap - alone.maxHeap);
    const peaks = `resident at the peak ${mb(stalled.maxRss)} against ${mb(alone.maxRss)}`;
    return { measured: `${mb(value)} (${peaks})`, value };
  },
};

async function measure(isStalled, own) {
  const server = own(await startChild("agent-server", { store: "sqlite" }));
  await readAll(server.url, streamBody("20000", server.directory));
  const id = await startTask(server, `hold ${EVENTS}`);
  const socket = isStalled ? await openStalled(server, id) : undefined;
  await server.ask("release");
  let maxHeap = 0;
  await untilCompleted(server, id, async () => {
    maxHeap = Math.max(maxHeap, (await server.ask("memory")).heap);
  });
  const { maxRss } = await server.ask("memory");
  socket?.destroy();
  return { maxHeap, maxRss };
}

/** Subscribes, reads the first bytes, and then stops reading. */
async function openStalled({ url }, id) {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tasks/resubscribe",
    params: { id },
  });
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST / HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  return socket;
}

async function untilCompleted({ url }, id, onPoll) {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tasks/get",
    params: { id, historyLength: 0 },
  });
  for (;;) {
    const chunks = [];
    await readAll(url, body, (chunk) => chunks.push(chunk));
    const { result, error } = JSON.parse(Buffer.concat(chunks).toString());
    if (error !== undefined) throw new Error(`the task cannot be read: ${error.message}`);
    if (result.status.state === "completed") return;
    await onPoll();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
