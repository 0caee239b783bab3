import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { settingsJsonSchema } from "./settings-schema.js";

// For editors: point `# yaml-language-server: $schema=` at it. Rewritten with `vitest -u`.
test("the committed schema of the settings is the one that they are checked by [SRV-11]", async () => {
  const file = path.resolve(import.meta.dirname, "../../settings.schema.json");
  const schema = `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`;

  await expect(schema).toMatchFileSnapshot(file);
  expect(readFileSync(file, "utf8")).toBe(schema);
});
