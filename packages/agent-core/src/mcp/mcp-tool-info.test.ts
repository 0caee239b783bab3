import { expect, test } from "vitest";
import { parseToolInfo } from "./mcp-tool-info.js";

test("`$schema` and `$id` are removed from a schema, because a validator may refuse them", () => {
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
  ["that is null", null],
  ["that is a string instead of an object", "tool"],
  ["with an empty name", { name: "", inputSchema: {} }],
  ["with a number as name", { name: 3, inputSchema: {} }],
  ["without a schema", { name: "x" }],
  [
    "that runs only as a task",
    { name: "x", inputSchema: {}, execution: { taskSupport: "required" } },
  ],
] as const)("a tool %s is left out", ([, value]) => {
  expect(parseToolInfo(value)).toBeUndefined();
});

test("a tool whose schema is nested too deep is left out", () => {
  const nest = (levels: number): object => (levels === 0 ? {} : { items: nest(levels - 1) });

  expect(parseToolInfo({ name: "x", inputSchema: nest(20) })).toBeDefined();
  expect(parseToolInfo({ name: "x", inputSchema: nest(100) })).toBeUndefined();
});
