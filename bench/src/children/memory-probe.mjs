// This module is loaded into a server that the bench starts. It replies to the message "probe" with the heap,
// the handles and the descriptors of the process after a garbage collection. It changes nothing else.
import { readdirSync } from "node:fs";

process.on("message", async () => {
  // One collection is not enough: finalizers that run after a collection release objects that only the next
  // collection frees.
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
// Without `unref`, the channel would keep the process running.
process.channel.unref();
