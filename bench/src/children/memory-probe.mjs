// Loaded before a server that the bench starts. Answers "probe" with what the process holds after a
// collection. Nothing else of the server is changed.
import { readdirSync } from "node:fs";

process.on("message", async () => {
  // Finalizers of one collection free what the next one finds.
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  process.send({
    heap: heapUsed + external,
    handles: process.getActiveResourcesInfo().length,
    descriptors: readdirSync("/proc/self/fd").length,
  });
});
// The channel alone must not keep the process alive.
process.channel.unref();
