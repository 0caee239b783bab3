// This module is loaded into a server under test. On SIGUSR2 it collects garbage and writes a sample to stderr.
import { existsSync, readdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
// V8 optimizes more and more functions of a program that works for long, and their code is part of the heap. Without
// that code, the heap grows only with objects.
setFlagsFromString("--no-opt");
const collectGarbage = runInNewContext("gc");
let samples = 0;

process.on("SIGUSR2", async () => {
  // One garbage collection is not enough: its finalizers release objects that only the next collection frees.
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
