import { defineConfig } from "tsup";

export default defineConfig({
  entry: { main: "src/main.ts", reference: "src/reference.ts" },
  format: "esm",
  platform: "node",
  target: "es2023",
  outDir: "dist",
  sourcemap: true,
  splitting: false,
  dts: false,
});
