import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parseSettingsFile } from "./parse-settings-file.js";
import { settingsJsonSchema } from "./settings-schema.js";

// Editors load the schema file through `# yaml-language-server: $schema=`. `vitest -u` updates the file.
test("the committed schema file is equal to the schema in the code [SRV-11]", async () => {
  const file = path.resolve(import.meta.dirname, "../../settings.schema.json");
  const schema = `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`;

  await expect(schema).toMatchFileSnapshot(file);
  expect(readFileSync(file, "utf8")).toBe(schema);
});

test("the example file of the settings guide is valid [SRV-11]", async () => {
  const file = path.resolve(import.meta.dirname, "../../../../docs/guides/settings-example.yaml");
  const text = readFileSync(file, "utf8");

  const { warnings } = await parseSettingsFile(
    { file, text, isForeign: false, isOfWorkspace: false },
    { GITHUB_TOKEN: "x", DOCS_TOKEN: "y" },
  );

  expect(warnings).toEqual([]);
});
