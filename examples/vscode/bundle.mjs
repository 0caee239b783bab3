// Builds the extension for VS Code's Node (CommonJS) and the script of its webview.
import { build } from "esbuild";

const options = {
  absWorkingDir: import.meta.dirname,
  bundle: true,
  minify: true,
  sourcemap: true,
  logLevel: "warning",
};
await Promise.all([
  build({
    ...options,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.cjs",
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["vscode"],
  }),
  build({
    ...options,
    entryPoints: ["src/webview/main.ts"],
    outfile: "dist/webview.js",
    platform: "browser",
    target: "es2022",
    format: "iife",
  }),
]);
