import { defineConfig } from "tsup";

/**
 * Returns the bundle options of every library: one tree for `import` and one for `require`, both with source
 * maps. tsc emits the declarations afterwards (scripts/emit-declarations.mjs), because tsup crashes when it
 * emits them with TypeScript 7.
 *
 * @param {{ entry: Record<string, string>, platform?: 'neutral' | 'node' }} options
 */
export function definePackage({ entry, platform = "neutral" }) {
  const shared = { entry, platform, target: "es2023", sourcemap: true, dts: false, clean: true };
  return defineConfig([
    {
      ...shared,
      format: "esm",
      outDir: "dist/esm",
      splitting: true,
      plugins: [withoutBareImports],
      outExtension: () => ({ js: ".js" }),
    },
    {
      ...shared,
      format: "cjs",
      outDir: "dist/cjs",
      splitting: true,
      outExtension: () => ({ js: ".js" }),
    },
  ]);
}

/**
 * Removes imports that load a chunk without importing a name. esbuild adds them to keep the load order. Our packages
 * are marked as free of side effects, so a user's bundler would warn about each of these imports.
 */
const withoutBareImports = {
  name: "without-bare-imports",
  renderChunk: (code, { map }) => ({ code: code.replace(/^import "\.[^"]*";$/gm, ""), map }),
};
