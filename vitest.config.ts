import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{packages,apps,examples}/*/src/**/*.test.{ts,tsx}", "tests/**/*.test.ts"],
    globalSetup: ["./tooling/postgres/share-postgres.mjs"],
    setupFiles: ["./tooling/vitest-setup.mjs"],
    // Tests wait for processes and sockets much of the time, so one worker more than there are cores
    // keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
    // No test replaces a module, so files share the modules that a worker has loaded. This saves a
    // third of the CPU time of the unit tests.
    isolate: false,
    // The timeouts only end tests that hang. They are long, so that no test fails on a busy machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
