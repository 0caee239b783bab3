import { defineConfig } from "vitest/config";

// Proofs that take minutes: `npm run prove`. What takes seconds belongs to `npm test`.
// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from it.
export default defineConfig({
  test: {
    include: ["tests/**/*.prove.ts", "packages/*/src/**/*.prove.ts"],
    testTimeout: 1_800_000,
    hookTimeout: 600_000,
    // One at a time: a proof that measures must have the machine to itself.
    fileParallelism: false,
  },
});
