import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { anchorsIn, linksIn, resolveLink } from "../../tooling/metrics/index.mjs";
import { commandsIn, faultsIn, findScript, pathsIn } from "./documents.js";
import {
  documents,
  LIBRARIES,
  packagesUnder,
  readManifest,
  readRepositoryAddress,
  readText,
  root,
} from "./repository.js";

const exists = (file: string) => existsSync(path.join(root, file));
const expected = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...LIBRARIES.map((library) => `packages/${library}/README.md`),
];
const scripts = new Set(
  [".", ...["packages", "apps", "examples"].flatMap(packagesUnder).map(({ folder }) => folder)]
    .map(readManifest)
    .flatMap((manifest) => Object.keys(manifest.scripts ?? {})),
);

/** Matches absolute links to this repository. Published READMEs use them, because npm shows no other file. */
const PUBLISHED = new RegExp(`^${readRepositoryAddress()}/(?:blob|tree|raw)/main/`);
const isOurs = (target: string) => !/^[a-z]+:/i.test(target) || PUBLISHED.test(target);
const resolve = (document: string, target: string) =>
  PUBLISHED.test(target)
    ? resolveLink("README.md", target.replace(PUBLISHED, ""))
    : resolveLink(document, target);

test.each(expected)("the document %s exists", (document) => {
  expect(exists(document)).toBe(true);
});

describe.each(documents)("%s", (document) => {
  const markdown = readText(document);

  test("the document has only links whose targets exist", () => {
    const broken = linksIn(markdown)
      .filter((target) => isOurs(target))
      .filter((target) => {
        const { file, anchor } = resolve(document, target);
        if (!exists(file)) return true;
        return (
          anchor !== undefined &&
          file.endsWith(".md") &&
          !anchorsIn(readText(file)).includes(anchor)
        );
      });

    expect(broken).toEqual([]);
  });

  test("the document mentions only paths that exist", () => {
    expect(pathsIn(markdown).filter((file) => !exists(file))).toEqual([]);
  });

  test("the document shows only commands that exist", () => {
    const unknown = commandsIn(markdown).filter((command) => {
      const script = findScript(command);
      return script !== undefined && !scripts.has(script);
    });

    expect(unknown).toEqual([]);
  });

  test("the document has no unfinished text and no path of one person's machine", () => {
    expect(faultsIn(markdown)).toEqual([]);
  });
});

test("linksIn() finds links in prose, not in code", () => {
  const markdown = "See [a](docs/a.md#x) and `[b](b.md)`.\n```md\n[c](c.md)\n```\n[d]: ../d.md\n";

  expect(linksIn(markdown)).toEqual(["docs/a.md#x", "../d.md"]);
});

test("pathsIn() finds paths in backticks and ignores patterns", () => {
  const markdown =
    "`packages/schema/src/index.ts`, `docs/`, `packages/*/src`, `apps/<name>/src`, `a/b`";

  expect(pathsIn(markdown)).toEqual(["packages/schema/src/index.ts", "docs/"]);
});

test.each([
  ["`npm test`", ["test"]],
  ["`npm run generate`", ["generate"]],
  ["`npm start`", ["start"]],
  ["```sh\n$ npm install && npm run -s dt -- --help # npm run nothing\n```", [undefined, "dt"]],
  ["`pnpm prove`", ["prove"]],
  ["`pnpm --filter @dt/schema build`", ["build"]],
  ["`npm run grepp`", ["grepp"]],
  ["`npm --prefix path/to/dt run dt`", ["dt"]],
  ["npm is a program", []],
])("the text %j runs the package scripts %j", (markdown, names) => {
  expect(commandsIn(markdown).map(findScript)).toEqual(names);
});

test("the anchor of a heading is the same as on GitHub", () => {
  expect(anchorsIn("# What it is\n## `dt` & you, again\n")).toEqual([
    "what-it-is",
    "dt--you-again",
  ]);
});

test.each(["see /home/someone/notes", "C:\\Users", "TODO: write", "/Users/me/x"])(
  "the text %j is reported as a fault",
  (text) => {
    expect(faultsIn(text)).toHaveLength(1);
  },
);
