// registry/ is dt's entry for the registry of the Agent Client Protocol.
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { readManifest, readRepositoryAddress, readText } from "./repository.js";

const entry = JSON.parse(readText("registry/agent.json"));
const validate = new Ajv({ allErrors: true }).compile(
  JSON.parse(readText("registry/agent.schema.json")),
);
const faultsOf = (value: unknown) =>
  validate(value) ? [] : (validate.errors ?? []).map(({ instancePath }) => instancePath);

test("the entry has the documented format of the registry [ACP-01]", () => {
  expect(faultsOf(entry)).toEqual([]);
});

test("the entry starts the version of dt that is in this repository [ACP-01]", () => {
  const { name, version } = readManifest("apps/cli");

  expect(entry).toMatchObject({
    version,
    repository: readRepositoryAddress(),
    license: "Apache-2.0",
    distribution: { npx: { package: `${name}@${version}`, args: ["acp"] } },
  });
});

const ARCHIVE = { archive: "https://h/a.zip", cmd: "./a" };

test.each([
  ["/id", { ...entry, id: "DT" }],
  ["/version", { ...entry, version: "1.0" }],
  ["/description", { ...entry, description: "" }],
  ["/repository", { ...entry, repository: "git@h:a/b" }],
  ["", { ...entry, distribution: undefined }],
  ["", { ...entry, homepage: "https://h" }],
  ["/distribution", { ...entry, distribution: {} }],
  ["/distribution", { ...entry, distribution: { docker: {} } }],
  ["/distribution/npx", { ...entry, distribution: { npx: {} } }],
  ["/distribution/npx", { ...entry, distribution: { npx: { package: "a@1.0.0", cmd: "a" } } }],
  ["/distribution/npx/package", { ...entry, distribution: { npx: { package: "a@latest" } } }],
  ["/distribution/binary", { ...entry, distribution: { binary: { "linux-arm": ARCHIVE } } }],
  [
    "/distribution/binary/linux-x86_64",
    { ...entry, distribution: { binary: { "linux-x86_64": { cmd: "./a" } } } },
  ],
])("a fault at %j of an entry is found", (path, faulty) => {
  expect(faultsOf(JSON.parse(JSON.stringify(faulty)))).toContain(path);
});

test("the schema allows each kind of distribution", () => {
  const distribution = {
    binary: { "darwin-aarch64": ARCHIVE },
    uvx: { package: "a==1.0.0", args: ["acp"], env: { A: "b" } },
  };

  expect(faultsOf({ ...entry, distribution, license_url: "https://h/l" })).toEqual([]);
});

test("the icon has 16 by 16 pixels and only the colour of the text", () => {
  const icon = readText("registry/icon.svg");
  const colours = [...icon.matchAll(/(?:fill|stroke)="([^"]+)"/g)].map(([, colour]) => colour);

  expect(icon).toContain('width="16" height="16" viewBox="0 0 16 16"');
  expect(colours.filter((colour) => colour !== "none" && colour !== "currentColor")).toEqual([]);
});
