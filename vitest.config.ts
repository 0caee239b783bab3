import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{packages,apps,examples}/*/src/**/*.test.{ts,tsx}", "tests/**/*.test.ts"],
    setupFiles: ["./tooling/vitest-setup.mjs"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
