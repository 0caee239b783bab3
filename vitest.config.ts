import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{packages,apps,examples}/*/src/**/*.test.{ts,tsx}", "tests/**/*.test.ts"],
    setupFiles: ["./tooling/vitest-setup.mjs"],
    // Tests wait for processes and sockets much of the time: one worker more than there are cores
    // keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
    // No test replaces a module, so files share the modules that a worker has loaded. This saves a
    // third of the CPU time of the unit tests.
    isolate: false,
    // Guards against a test that hangs; generous, so that a busy machine fails nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
