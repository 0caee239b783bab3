import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { isBuiltin } from "./imports.js";
import { readText, root } from "./repository.js";

const browserEntries = ["@dt/schema", "@dt/schema/wire", "@dt/client", "@dt/client/testing"];

test.each(browserEntries)("%s loads no Node built-in in a browser [PKG-03]", async (entry) => {
  const bundle = await bundleForBrowser(entry);

  expect(bundle.leftOutside).toEqual([]);
});

test.each(browserEntries)(
  "%s brings neither protobuf reflection nor the A2A SDK into a browser [PKG-03]",
  async (entry) => {
    const bundle = await bundleForBrowser(entry);
    const foreign = bundle.sources.filter((source) =>
      /@bufbuild[/+]protobuf|@a2a-js[/+]sdk/.test(source),
    );

    expect(bundle.sources).not.toEqual([]);
    expect(foreign).toEqual([]);
  },
);

test("@dt/client is small enough for a web page [PKG-03]", async () => {
  const limitBytes = 25_000;
  const sizes = await Promise.all(
    browserEntries.map(
      async (entry) => [entry, (await bundleForBrowser(entry)).gzipBytes] as const,
    ),
  );
  const report = sizes.map(([entry, bytes]) => `${entry} ${bytes} B`).join(", ");
  const client = sizes.find(([entry]) => entry === "@dt/client")?.[1];

  expect(client, `min+gzip: ${report}; the limit is ${limitBytes} B`).toBeLessThanOrEqual(
    limitBytes,
  );
  const stated = /(\d+) kB min\+gzip/.exec(readText("packages/client/README.md"))?.[1];
  expect(Number(stated), `min+gzip: ${report}; its README says ${stated} kB`).toBe(
    Math.ceil((client ?? 0) / 1_000),
  );
});

interface BrowserBundle {
  readonly gzipBytes: number;
  /** Modules that the bundle would still have to load; a browser has none of them. */
  readonly leftOutside: readonly string[];
  /** Every source in the bundle, seen through the source maps of what is built already. */
  readonly sources: readonly string[];
}

async function bundleForBrowser(entry: string): Promise<BrowserBundle> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: `export * from "${entry}";`, resolveDir: path.join(root, "tests") },
    bundle: true,
    minify: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    write: false,
    metafile: true,
    outfile: "unwritten.js",
    logLevel: "silent",
    plugins: [
      {
        name: "leave built-ins outside",
        setup: ({ onResolve }) =>
          onResolve({ filter: /.*/ }, ({ path: specifier }) =>
            isBuiltin(specifier) ? { path: specifier, external: true } : undefined,
          ),
      },
    ],
  });
  const inputs = Object.keys(metafile.inputs).filter((input) => input !== "<stdin>");
  return {
    gzipBytes: gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length,
    leftOutside: Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.map(({ path: specifier }) => specifier),
    ),
    sources: inputs.flatMap((input) => [input, ...mappedSources(path.join(root, input))]),
  };
}

function mappedSources(file: string): string[] {
  if (!existsSync(`${file}.map`)) return [];
  const map = JSON.parse(readFileSync(`${file}.map`, "utf8")) as { readonly sources: string[] };
  return map.sources.map((source) => path.join(path.dirname(file), source));
}
