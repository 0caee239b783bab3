import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { importsOf, packageNameOf } from "./imports.js";
import {
  filesUnder,
  packagesUnder,
  readManifest,
  readText,
  root,
  sourcesOf,
} from "./repository.js";

const execute = promisify(execFile);

test("generating the code again changes nothing [PKG-01]", async () => {
  const script = path.join(root, "tooling/scripts/check-generated.mjs");

  await expect(execute(process.execPath, [script])).resolves.toMatchObject({ stderr: "" });
});

test("the committed code is ts-proto's work [PKG-01]", () => {
  const generated = filesUnder("packages/schema/src/gen/development_tool", /\.ts$/);

  expect(generated.map((file) => path.basename(file, ".ts"))).toEqual(
    filesUnder("proto/development_tool", /\.proto$/).map((file) => path.basename(file, ".proto")),
  );
  for (const file of generated) expect(readText(file)).toContain("protoc-gen-ts_proto");
});

test("one command goes through pnpm, turbo, tsup and vitest [PKG-06]", () => {
  const { scripts = {} } = readManifest(".");
  const commands = readText("tooling/commands.cjs");
  const builds = packagesUnder("packages").map(({ manifest }) => manifest.scripts?.build);

  expect(scripts.test).toBe("node tooling/run.cjs test");
  for (const tool of ["pnpm", "turbo", "vitest"]) expect(commands).toContain(tool);
  for (const build of builds) expect(build).toMatch(/^tsup\b/);
});

test.each(["@a2a-js/sdk", "express"])("the server is built on %s [PKG-06]", (dependency) => {
  const server = packagesUnder("packages").filter(({ folder }) => folder === "packages/server");
  const imports = importsOf(server.flatMap(sourcesOf));

  expect(imports.map(({ specifier }) => packageNameOf(specifier))).toContain(dependency);
});

test("every version is in the one catalog", () => {
  const loose = ["packages", "apps", "examples"]
    .flatMap(packagesUnder)
    // Made to be copied: copied-example.test.ts compares its versions with the catalog.
    .filter(({ folder }) => folder !== "examples/vscode")
    .flatMap(({ folder, manifest }) =>
      Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
        .filter(([, version]) => !/^(catalog|workspace|npm):/.test(version))
        .map(([name, version]) => `${folder}: ${name} ${version}`),
    );

  expect(loose).toEqual([]);
});
