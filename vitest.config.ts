import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{packages,apps,examples}/*/src/**/*.test.{ts,tsx}", "tests/**/*.test.ts"],
    setupFiles: ["./tooling/vitest-setup.mjs"],
    // Tests wait for processes and sockets much of the time, so that every core is kept busy.
    maxWorkers: "100%",
    // Guards against a test that hangs; generous, so that a busy machine fails nothing.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
