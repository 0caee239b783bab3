import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { settingsJsonSchema } from "./settings-schema.js";

test("the settings schema is plain JSON, has every key and compiles in strict mode", () => {
  const schema = settingsJsonSchema();

  const compile = () => new Ajv({ strict: true, strictRequired: false }).compile(schema);

  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  expect(Object.keys(schema.properties as object)).toEqual([
    "model",
    "contextTokens",
    "modelSilenceMs",
    "thinking",
    "mode",
    "allowedTools",
    "excludedTools",
    "mcpServers",
    "agents",
    "extensions",
    "context",
    "limits",
    "prices",
    "budget",
    "sandbox",
  ]);
  expect(compile).not.toThrow();
});
