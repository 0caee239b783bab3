import { defineConfig } from "tsup";

export default defineConfig({
  entry: { main: "src/main.ts", reference: "src/reference.ts" },
  format: "esm",
  platform: "node",
  target: "es2023",
  outDir: "dist",
  sourcemap: true,
  minify: true,
  // Everything that is not a dependency is bundled: Ink, React, marked. What one run does not need is not loaded.
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
