import { expect, test } from "vitest";
import { parseToolInfo } from "./mcp-tool-info.js";

test("a schema loses `$schema` and `$id`, which a validator may refuse", () => {
  const info = parseToolInfo({
    name: "x",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "x",
      properties: {},
    },
  });

  expect(info).toEqual({
    name: "x",
    description: "",
    parameters: { type: "object", properties: {} },
    isReadOnly: false,
  });
});

test.for([
  null,
  "tool",
  { name: "", inputSchema: {} },
  { name: 3, inputSchema: {} },
  { name: "x" },
  { name: "x", inputSchema: {}, execution: { taskSupport: "required" } },
])("a tool that cannot be offered is left out: %j", (value) => {
  expect(parseToolInfo(value)).toBeUndefined();
});

test("a tool whose schema is nested too deep is left out", () => {
  const nest = (levels: number): object => (levels === 0 ? {} : { items: nest(levels - 1) });

  expect(parseToolInfo({ name: "x", inputSchema: nest(20) })).toBeDefined();
  expect(parseToolInfo({ name: "x", inputSchema: nest(100) })).toBeUndefined();
});
