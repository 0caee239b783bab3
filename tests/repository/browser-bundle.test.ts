import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { expect, test } from "vitest";
import { isBuiltin } from "./imports.js";
import { readText, root } from "./repository.js";

const BROWSER_ENTRIES = [
  "@dt/schema",
  "@dt/schema/address",
  "@dt/schema/wire",
  "@dt/schema/gemini",
  "@dt/client",
  "@dt/client/testing",
];

test.each(BROWSER_ENTRIES)("%s loads no Node built-in in a browser [PKG-03]", async (entry) => {
  const bundle = await bundleForBrowser(entry);

  expect(bundle.leftOutside).toEqual([]);
});

test.each(BROWSER_ENTRIES)("%s is bundled without a warning [PKG-03]", async (entry) => {
  const bundle = await bundleForBrowser(entry);

  expect(bundle.warnings).toEqual([]);
});

test.each(BROWSER_ENTRIES)(
  "the browser bundle of %s contains no protobuf reflection and no A2A SDK [PKG-03]",
  async (entry) => {
    const bundle = await bundleForBrowser(entry);
    const foreign = bundle.sources.filter((source) =>
      /@bufbuild[/+]protobuf|@a2a-js[/+]sdk/.test(source),
    );

    expect(bundle.sources).not.toEqual([]);
    expect(foreign).toEqual([]);
  },
);

test.each(["@dt/schema", "@dt/schema/wire", "@dt/client"])(
  "%s does not load ipaddr.js",
  async (entry) => {
    const bundle = await bundleForBrowser(entry);

    expect(bundle.sources.filter((source) => source.includes("ipaddr"))).toEqual([]);
  },
);

const USES = {
  "all of @dt/client": 'export * from "@dt/client";',
  // A bundler makes other chunks if a program imports only `connect`, so this import is measured too.
  "connect alone": 'import { connect } from "@dt/client"; globalThis.connect = connect;',
};

test("the bundle of @dt/client is not larger than its README says, and at most 1 kB smaller [PKG-03]", async () => {
  const stated = /(\S+) kB min\+gzip/.exec(readText("packages/client/README.md"))?.[1];
  const statedBytes = Number(stated) * 1_000;
  const bundles = await Promise.all(
    Object.entries(USES).map(async ([use, source]) => ({ use, ...(await bundleSource(source)) })),
  );
  const report = bundles
    .map(({ use, gzipBytes, laterBytes }) => `${use}: ${gzipBytes} B, later ${laterBytes} B`)
    .join("; ");
  const largest = Math.max(...bundles.map(({ gzipBytes }) => gzipBytes));

  expect(statedBytes).toBeLessThanOrEqual(25_000);
  const message = `min+gzip: ${report}; its README says ${stated} kB`;
  expect(largest, message).toBeLessThanOrEqual(statedBytes);
  expect(largest, message).toBeGreaterThan(statedBytes - 1_000);
});

test("the code for WebSockets, push, other agents and setup errors is loaded on demand", async () => {
  const bundle = await bundleForBrowser("@dt/client");
  const isLoadedOnDemand = (source: string) =>
    /(src|wire)\/gemini\/(?!is-gemini-card)|task\/(channel\/rfc-channel|pull\/|session\/events-between|task-reader)|commands\/command-run|push\/push-config|errors\/explain-setup|transport\/(ws-transport|open-socket)/.test(
      source,
    );

  expect(bundle.sources.filter(isLoadedOnDemand)).toEqual([]);
  expect(bundle.laterBytes).toBeGreaterThan(0);
  expect(bundle.laterBytes).toBeLessThanOrEqual(26_000);
});

interface BrowserBundle {
  readonly warnings: readonly string[];
  /** Compressed size of the chunks that a page loads at the start. */
  readonly gzipBytes: number;
  /** Compressed size of the chunks that a page loads on demand. */
  readonly laterBytes: number;
  /** Modules that the bundle imports from outside. */
  readonly leftOutside: readonly string[];
  /** Source files of the chunks that a page loads at the start, found through source maps. */
  readonly sources: readonly string[];
}

function bundleForBrowser(entry: string): Promise<BrowserBundle> {
  return bundleSource(`export * from "${entry}";`);
}

async function bundleSource(contents: string): Promise<BrowserBundle> {
  const { metafile, outputFiles, warnings } = await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: path.join(root, "tests") },
    bundle: true,
    minify: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    write: false,
    metafile: true,
    splitting: true,
    outdir: "unwritten",
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
  const sizes = new Map(
    outputFiles.map(({ path: file, contents }) => [
      path.relative(root, file),
      gzipSync(contents, { level: 9 }).length,
    ]),
  );
  const atOnce = loadedAtOnce(metafile);
  const all = Object.keys(metafile.outputs);
  const sizeOf = (files: readonly string[]) =>
    files.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  const inputs = atOnce
    .flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}))
    .filter((input) => input !== "<stdin>");
  return {
    warnings: warnings.map(({ text }) => text),
    gzipBytes: sizeOf(atOnce),
    laterBytes: sizeOf(all.filter((file) => !atOnce.includes(file))),
    leftOutside: Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.flatMap(({ path: specifier, external }) => (external ? [specifier] : [])),
    ),
    sources: inputs.flatMap((input) => [input, ...mappedSources(path.join(root, input))]),
  };
}

/** Lists the entry chunk and the chunks that it imports statically. */
function loadedAtOnce({ outputs }: Metafile): readonly string[] {
  const found = new Set(
    Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === "<stdin>"),
  );
  for (const file of found) {
    for (const { path: imported, kind } of outputs[file]?.imports ?? []) {
      if (kind === "import-statement" && imported in outputs) found.add(imported);
    }
  }
  return [...found];
}

function mappedSources(file: string): string[] {
  if (!existsSync(`${file}.map`)) return [];
  const map = JSON.parse(readFileSync(`${file}.map`, "utf8")) as { readonly sources: string[] };
  return map.sources.map((source) => path.join(path.dirname(file), source));
}
