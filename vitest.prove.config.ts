import { defineConfig } from "vitest/config";

// `npm run prove` runs the proofs, which take minutes. A test that takes seconds belongs to `npm test`.
// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from it.
export default defineConfig({
  test: {
    include: ["tests/**/*.prove.ts", "packages/*/src/**/*.prove.ts"],
    globalSetup: ["./tooling/postgres/share-postgres.mjs"],
    // The guard only ends a proof that hangs. A fresh clone beside busy loops takes more than half an hour.
    testTimeout: 7_200_000,
    hookTimeout: 600_000,
    // Proofs run one at a time, because a proof that measures must have the machine to itself.
    fileParallelism: false,
  },
});
