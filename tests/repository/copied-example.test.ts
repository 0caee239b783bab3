// The VS Code example is made to be copied: nothing in it may lead out of its folder.
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readText, root } from "./repository.js";

const folder = "examples/vscode";
const manifest = JSON.parse(readText(`${folder}/package.json`));
const asks = { ...manifest.dependencies, ...manifest.devDependencies };

test("the VS Code example asks for versions that npm can install", () => {
  const odd = Object.values<string>(asks).filter((version) => !/^\d+\.\d+\.\d+$/.test(version));

  expect(odd).toEqual([]);
  expect(asks["@dt/client"]).toBe(JSON.parse(readText("packages/client/package.json")).version);
});

test("the versions of the VS Code example are those of the repository", () => {
  const workspace = readText("pnpm-workspace.yaml");
  const pinned = Object.entries(asks).filter(([name]) =>
    new RegExp(`^  "?${name}"?: `, "m").test(workspace),
  );

  expect(pinned.map(([name]) => name)).toEqual(["@types/node", "esbuild", "typescript", "vitest"]);
  for (const [name, version] of pinned)
    expect(workspace).toMatch(new RegExp(`${name}"?: ${version}$`, "m"));
});

test("no file of the VS Code example names anything outside its folder", () => {
  const files = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.(ts|mjs|json)$/.test(file) && !/^(node_modules|dist)\b/.test(file),
  );
  const leaving = files.filter((file) => {
    const up =
      path
        .dirname(file)
        .split(path.sep)
        .filter((part) => part !== ".").length + 1;
    return readText(path.join(folder, file)).includes("../".repeat(up));
  });

  expect(files).toContain("tsconfig.json");
  expect(leaving).toEqual([]);
});

test("the VS Code example has what vsce asks of an extension", () => {
  expect(manifest.name).toMatch(/^[a-z][a-z-]*$/);
  expect(manifest.publisher).toBeDefined();
  expect(manifest.engines.vscode).toBe(`^${asks["@types/vscode"]}`);
  expect(manifest.scripts["vscode:prepublish"]).toBe("node bundle.mjs");
  expect(readText(`${folder}/.vscodeignore`)).toContain("!dist/*.cjs");
});

test("the README of the VS Code example has no relative link, which vsce refuses without a repository", () => {
  const links = [...readText(`${folder}/README.md`).matchAll(/\]\(([^)]+)\)/g)].map(
    ([, target = ""]) => target,
  );

  expect(links.filter((target) => !/^(https:|#)/.test(target))).toEqual([]);
});
