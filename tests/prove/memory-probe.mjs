// Loaded before a server under test. On SIGUSR2 the server writes to stderr what it holds after a collection.
import { existsSync, readdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
let samples = 0;

process.on("SIGUSR2", async () => {
  // Finalizers of one collection free what the next one finds.
  for (let round = 0; round < 4; round += 1) {
    collectGarbage();
    await setTimeout(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  samples += 1;
  const sample = {
    heap: heapUsed + external,
    handles: process.getActiveResourcesInfo().length,
    descriptors: existsSync("/dev/fd") ? readdirSync("/dev/fd").length : 0,
  };
  process.stderr.write(`probe ${samples} ${JSON.stringify(sample)}\n`);
});
