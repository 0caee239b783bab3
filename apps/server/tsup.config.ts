import { defineConfig } from "tsup";

export default defineConfig({
  entry: { main: "src/main.ts", reference: "src/reference.ts" },
  format: "esm",
  platform: "node",
  target: "es2023",
  outDir: "dist",
  sourcemap: true,
  // What a server needs only for some requests is not loaded before the first of them.
  splitting: true,
  clean: true,
  dts: false,
  // All libraries are bundled, because resolving and reading 400 files took most of the start. Two are not,
  // because they bring programs that are no JavaScript; OpenTelemetry is loaded only if it is set up.
  noExternal: [/^(?!@photostructure\/sqlite|@vscode\/ripgrep|@opentelemetry\/(?!api))/],
  // Some of what is bundled is CommonJS and asks for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
