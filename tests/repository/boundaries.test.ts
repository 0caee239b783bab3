import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  findCycles,
  findTarget,
  type Import,
  importGraphOf,
  importsOf,
  packageNameOf,
  withoutComments,
} from "./imports.js";
import {
  entriesOf,
  filesUnder,
  isTest,
  packagesUnder,
  readText,
  sourcesOf,
  type WorkspacePackage,
} from "./repository.js";

const libraries = packagesUnder("packages");
const apps = packagesUnder("apps");
const examples = packagesUnder("examples");
const allPackages = [...libraries, ...apps, ...examples];

/** The packages of the repository that each library may import. A new entry needs a decision record. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  "@dt/schema": [],
  "@dt/agent-core": ["@dt/schema"],
  "@dt/server": ["@dt/schema"],
  "@dt/client": ["@dt/schema"],
  "@dt/acp": ["@dt/schema"],
};

describe("imports between packages", () => {
  test("every library has an entry in the table of allowed imports [PKG-02]", () => {
    const names = libraries.map(({ manifest }) => manifest.name);

    expect(names.sort()).toEqual(Object.keys(allowedImports).sort());
  });

  test.each(libraries)(
    "$manifest.name depends only on packages that it may import [PKG-02]",
    (library) => {
      const { dependencies, peerDependencies, optionalDependencies, name } = library.manifest;
      const listed = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });

      expect(forbiddenOf(listed, name)).toEqual([]);
    },
  );

  test.each(libraries)(
    "$manifest.name imports values and types only from packages that it may import [PKG-02]",
    (library) => {
      const imports = importsOf(sourcesOf(library)).filter(
        ({ specifier }) =>
          forbiddenOf([packageNameOf(specifier)], library.manifest.name).length > 0,
      );

      expect(imports.map(show)).toEqual([]);
    },
  );

  test("no package depends on an app", () => {
    const appNames = apps.map(({ manifest }) => manifest.name);
    const dependents = allPackages.filter(({ manifest }) =>
      appNames.some((name) => Object.hasOwn(manifest.dependencies ?? {}, name)),
    );

    expect(dependents.map(({ folder }) => folder)).toEqual([]);
  });

  test.each(allPackages)(
    "$manifest.name lists every @dt package that its sources import",
    (pkg) => {
      const { name, dependencies, peerDependencies, optionalDependencies } = pkg.manifest;
      const listed = new Set(
        Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies, [name]: "" }),
      );
      const ours = importsOf(sourcesOf(pkg)).filter(({ specifier }) =>
        specifier.startsWith("@dt/"),
      );

      expect(
        ours.filter(({ specifier }) => !listed.has(packageNameOf(specifier))).map(show),
      ).toEqual([]);
    },
  );
});

describe("entries of a package", () => {
  // An example may declare entries too: dt serves the page of one.
  const entries = new Set(
    [...libraries, ...examples].flatMap(({ manifest }) => entriesOf(manifest)),
  );
  const tooling = new Set(entriesOf(JSON.parse(readText("tooling/package.json"))));
  const tests = filesUnder("tests", /\.[cm]?tsx?$/);

  test("packages are imported only through their listed entries", () => {
    const imports = importsOf([...allPackages.flatMap(allFilesOf), ...tests]).filter(
      ({ specifier }) => specifier.startsWith("@dt/") && !tooling.has(specifier),
    );

    expect(imports.filter(({ specifier }) => !entries.has(specifier)).map(show)).toEqual([]);
  });

  test("no relative import points outside its package", () => {
    const strays = allPackages.flatMap((pkg) =>
      importsOf(allFilesOf(pkg)).filter((one) => isOutside(pkg.folder, one)),
    );

    expect(strays.map(show)).toEqual([]);
  });

  test("tests import packages, apps and examples by name, not by path", () => {
    const strays = importsOf(tests).filter((one) =>
      /^(packages|apps|examples)\//.test(findTarget(one) ?? ""),
    );

    expect(strays.map(show)).toEqual([]);
  });
});

describe("sources of a package", () => {
  test.each(allPackages)("$manifest.name has no import cycle", async (pkg) => {
    const graph = await importGraphOf(sourcesOf(pkg));

    expect(findCycles(graph).map((cycle) => cycle.join(" → "))).toEqual([]);
  });

  test.each(libraries)(
    "$manifest.name does not use process.env, process.argv or console",
    (library) => {
      const globals =
        /\bprocess\s*\??\.\s*(?:env|argv)\b|\}\s*=\s*process\b|\bconsole\s*\??[.[]|["'](?:node:)?process["']|["']node:console["']/;
      const faults = sourcesOf(library).flatMap((file) =>
        withoutComments(readText(file))
          .split("\n")
          .flatMap((line, index) =>
            globals.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [],
          ),
      );

      expect(faults).toEqual([]);
    },
  );

  test("no test is skipped or exclusive, and none mocks a module", () => {
    const shortcut =
      /\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|only|todo|skipIf|runIf|fails)\b|\bvi\.(?:do)?mock\(/;
    const files = [...allPackages.flatMap(allFilesOf), ...tests()].filter(isTest);
    const faults = files.filter((file) => shortcut.test(withoutComments(readText(file))));

    expect(faults).toEqual([]);
  });
});

function tests(): string[] {
  return filesUnder("tests", /\.tsx?$/);
}

function forbiddenOf(packageNames: readonly string[], importer: string): string[] {
  const allowed = new Set([importer, ...(allowedImports[importer] ?? [])]);
  return packageNames.filter((name) => name.startsWith("@dt/") && !allowed.has(name));
}

function allFilesOf({ folder }: WorkspacePackage): string[] {
  return filesUnder(folder, /\.[cm]?[jt]sx?$/);
}

function isOutside(folder: string, one: Import): boolean {
  const target = findTarget(one);
  return target !== undefined && path.posix.relative(folder, target).startsWith("..");
}

function show({ file, specifier }: Import): string {
  return `${file} imports ${specifier}`;
}
