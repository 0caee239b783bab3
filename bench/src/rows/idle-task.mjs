import { startChild } from "../child.mjs";
import { kb } from "../figures.mjs";
import { readAll, streamBody } from "../rpc.mjs";

const TASKS = 1_000;

/**
 * Heap that an ended task without subscribers uses, while its session is in memory or after the session is
 * evicted.
 */
export const idleTaskRow = (isEvicted) => ({
  name: isEvicted ? "an evicted task" : "an idle task",
  budget: isEvicted ? "0 (≤ 1 KB, within the noise)" : "≤ 20 KB",
  limit: isEvicted ? 1024 : 20 * 1024,
  async run(own) {
    const limits = { maxSessionsInMemory: 5_000, ...(isEvicted && { sessionIdleMs: 1 }) };
    const sweepMs = isEvicted ? 200 : 600_000;
    const setup = { store: "sqlite", agent: "model", limits, sweepMs };
    const server = own(await startChild("agent-server", setup));
    await runTasks(server, 500);
    await settle();
    const before = await server.ask("memory");
    await runTasks(server, TASKS);
    await settle();
    const after = await server.ask("memory");
    const value = Math.max(0, (after.heap - before.heap) / TASKS);
    return { measured: kb(value), value };
  },
});

async function runTasks(server, count) {
  for (let done = 0; done < count; done += 50) {
    const run = () => readAll(server.url, streamBody("5 0", server.directory));
    await Promise.all(Array.from({ length: 50 }, run));
  }
}

// Waits long enough for the server to close sockets and evict idle sessions.
function settle() {
  return new Promise((resolve) => setTimeout(resolve, 1_500));
}
