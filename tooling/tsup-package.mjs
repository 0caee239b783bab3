import { defineConfig } from "tsup";

/**
 * How every library is bundled: one tree for `import`, one for `require`, maps beside both.
 * Declarations come from tsc afterwards (scripts/emit-declarations.mjs), since tsup's own crash
 * under TypeScript 7.
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
 * esbuild keeps the order in which shared chunks are loaded by importing them for nothing. Our packages
 * say that loading has no effects, so whoever bundles them would be warned of each such line.
 */
const withoutBareImports = {
  name: "without-bare-imports",
  renderChunk: (code, { map }) => ({ code: code.replace(/^import "\.[^"]*";$/gm, ""), map }),
};
