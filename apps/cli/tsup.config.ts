import { BUNDLE_ALIASES } from "@dt/tooling/bundle/aliases";
import { yogaWithoutFetch } from "@dt/tooling/bundle/yoga-without-fetch";
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
  // All libraries are bundled, because finding and reading their files would take most of the start-up time.
  // The excluded libraries contain native programs or are never loaded. Splitting lets a run load only the
  // modules that it needs.
  noExternal: [/^(?!@photostructure\/sqlite|@vscode\/ripgrep|react-devtools-core)/],
  splitting: true,
  clean: true,
  esbuildPlugins: [yogaWithoutFetch],
  esbuildOptions(options) {
    options.alias = BUNDLE_ALIASES;
  },
  dts: false,
  // The development build of React is ten times as large and keeps every frame in memory.
  define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' },
  external: ["react-devtools-core"],
  // Some bundled packages are CommonJS and call `require` for modules of Node.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
