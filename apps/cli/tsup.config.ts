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
  // All libraries are bundled, because resolving and reading their files took most of the start. Two are not,
  // because they bring programs that are no JavaScript. What one run does not need is not loaded.
  noExternal: [/^(?!@photostructure\/sqlite|@vscode\/ripgrep|react-devtools-core)/],
  splitting: true,
  clean: true,
  dts: false,
  // React's own development build is ten times the size, and remembers every frame.
  define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' },
  external: ["react-devtools-core"],
  // Some of what is bundled is CommonJS and asks for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
