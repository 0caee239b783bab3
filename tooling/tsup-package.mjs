import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "tsup";

/**
 * Returns the bundle options of a library: one folder for `import` and one for `require`, both with source
 * maps. A library whose dependencies are only ES modules has only the folder for `import`. tsc emits the
 * declarations afterwards (scripts/emit-declarations.mjs), because tsup crashes when it emits declarations
 * with TypeScript 7.
 *
 * @param {{ entry: Record<string, string>, platform?: 'neutral' | 'node', formats?: ('esm' | 'cjs')[] }} options
 */
export function definePackage({ entry, platform = "neutral", formats = ["esm", "cjs"] }) {
  const shared = { entry, platform, target: "es2023", sourcemap: true, dts: false, clean: true };
  const bundles = [
    {
      ...shared,
      format: "esm",
      outDir: "dist/esm",
      splitting: true,
      esbuildPlugins: [oneSharedChunk(entry.index)],
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
  ];
  return defineConfig(bundles.filter(({ format }) => formats.includes(format)));
}

/**
 * Removes imports that load a chunk without importing a name. esbuild adds them to keep the load order. Our packages
 * are marked as free of side effects, so a user's bundler would warn about each of these imports.
 */
const withoutBareImports = {
  name: "without-bare-imports",
  renderChunk: (code, { map }) => ({ code: code.replace(/^import "\.[^"]*";$/gm, ""), map }),
};

/**
 * Puts all code that the main entry imports statically into one chunk. Otherwise esbuild makes a chunk for every
 * set of on-demand modules that share a file, and many small chunks compress badly.
 *
 * For this, each module that is loaded on demand imports the main entry. All files are marked as having side
 * effects, because esbuild would otherwise drop that import. {@link withoutBareImports} removes it from the result.
 *
 * @param {string} mainEntry
 */
const oneSharedChunk = (mainEntry) => ({
  name: "one-shared-chunk",
  setup({ onLoad, onResolve, resolve }) {
    const onDemand = findModulesOnDemand(path.dirname(mainEntry));
    onResolve({ filter: /^\.{0,2}\// }, async ({ path: specifier, pluginData, ...origin }) => {
      if (pluginData === "resolved") return undefined;
      const resolved = await resolve(specifier, { ...origin, pluginData: "resolved" });
      return { ...resolved, sideEffects: true, pluginData: undefined };
    });
    onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
      if (!onDemand.has(file)) return undefined;
      const main = JSON.stringify(path.resolve(mainEntry));
      return { contents: `${readFileSync(file, "utf8")}\nimport ${main};\n`, loader: "ts" };
    });
  },
});

/**
 * Finds the modules that an `import("…")` loads. The search runs before the build, because esbuild
 * loads a module only once, and another file may import the same module statically.
 *
 * @param {string} directory
 */
function findModulesOnDemand(directory) {
  const found = new Set();
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts") || name.endsWith(".test.ts")) continue;
    const file = path.resolve(directory, name);
    for (const [, specifier] of readFileSync(file, "utf8").matchAll(/\bimport\("(\.[^"]+)\.js"\)/g))
      found.add(path.resolve(path.dirname(file), `${specifier}.ts`));
  }
  return found;
}
