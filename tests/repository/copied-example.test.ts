// Users copy the VS Code example, so no file of it may reference anything outside its folder.
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readText, root } from "./repository.js";

const FOLDER = "examples/vscode";
const manifest = JSON.parse(readText(`${FOLDER}/package.json`));
const dependencies = { ...manifest.dependencies, ...manifest.devDependencies };

test("the VS Code example pins exact versions that npm can install", () => {
  const inexact = Object.values<string>(dependencies).filter(
    (version) => !/^\d+\.\d+\.\d+$/.test(version),
  );

  expect(inexact).toEqual([]);
  expect(dependencies["@dt/client"]).toBe(
    JSON.parse(readText("packages/client/package.json")).version,
  );
});

test("the VS Code example pins its tools at the versions that the repository uses", () => {
  const workspace = readText("pnpm-workspace.yaml");
  const pinned = Object.entries(dependencies).filter(([name]) =>
    new RegExp(`^  "?${name}"?: `, "m").test(workspace),
  );

  expect(pinned.map(([name]) => name)).toEqual([
    "@modelcontextprotocol/sdk",
    "zod",
    "@types/node",
    "esbuild",
    "typescript",
    "vitest",
  ]);
  for (const [name, version] of pinned)
    expect(workspace).toMatch(new RegExp(`${name}"?: ${version}$`, "m"));
});

test("no file of the VS Code example references a path outside its folder", () => {
  const files = readdirSync(path.join(root, FOLDER), { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.(ts|mjs|json)$/.test(file) && !/^(node_modules|dist)\b/.test(file),
  );
  const leaving = files.filter((file) => {
    const up =
      path
        .dirname(file)
        .split(path.sep)
        .filter((part) => part !== ".").length + 1;
    return readText(path.join(FOLDER, file)).includes("../".repeat(up));
  });

  expect(files).toContain("tsconfig.json");
  expect(leaving).toEqual([]);
});

test("the manifest of the VS Code example has the fields that vsce requires", () => {
  expect(manifest.name).toMatch(/^[a-z][a-z-]*$/);
  expect(manifest.publisher).toBeDefined();
  expect(manifest.engines.vscode).toBe(`^${dependencies["@types/vscode"]}`);
  expect(manifest.scripts["vscode:prepublish"]).toBe("node bundle.mjs");
  expect(readText(`${FOLDER}/.vscodeignore`)).toContain("!dist/*.cjs");
});

test("the README of the VS Code example has no relative link, because vsce refuses them", () => {
  const links = [...readText(`${FOLDER}/README.md`).matchAll(/\]\(([^)]+)\)/g)].map(
    ([, target = ""]) => target,
  );

  expect(links.filter((target) => !/^(https:|#)/.test(target))).toEqual([]);
});
