import { BUNDLE_ALIASES } from "@dt/tooling/bundle/aliases";
import { defineConfig } from "tsup";

export default defineConfig({
  entry: { main: "src/main.ts", reference: "src/reference.ts" },
  format: "esm",
  platform: "node",
  target: "es2023",
  outDir: "dist",
  sourcemap: true,
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  // With splitting, modules that only some requests need are not loaded at the start.
  splitting: true,
  clean: true,
  esbuildOptions(options) {
    options.alias = BUNDLE_ALIASES;
  },
  dts: false,
  // All libraries are bundled, because finding and reading 400 files would take most of the start-up time.
  // The excluded libraries contain native programs, or are loaded only if tracing is on.
  noExternal: [/^(?!@photostructure\/sqlite|@vscode\/ripgrep|@opentelemetry\/(?!api))/],
  // Some bundled packages are CommonJS and call `require` for modules of Node.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
