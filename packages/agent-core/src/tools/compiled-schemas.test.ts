import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { scriptedTool } from "../testing/scripted-tool.js";
import { checkInput } from "./check-input.js";
import { createCompiledSchemas } from "./compiled-schemas.js";

const schemaOf = (name: string) => ({ type: "object", required: [name] });

test("schema objects with the same content are compiled once [SEC-09]", () => {
  const schemas = createCompiledSchemas({ createAjv: (options) => new Ajv(options) });

  for (let at = 0; at < 100; at += 1) {
    expect(schemas.check(schemaOf("a"), {})).toMatchObject([{ keyword: "required" }]);
    expect(schemas.check(schemaOf("b"), { b: 1 })).toEqual([]);
  }

  expect(schemas.compilations).toBe(2);
});

test("a schema object keeps its validator after the cache has evicted the validator", () => {
  const schemas = createCompiledSchemas({ createAjv: (options) => new Ajv(options) });
  const first = schemaOf("first");
  schemas.check(first, {});

  for (let at = 0; at < 300; at += 1) schemas.check(schemaOf(`${at}`), {});
  expect(schemas.check(first, {})).toHaveLength(1);
  expect(schemas.compilations).toBe(301);

  schemas.check(schemaOf("first"), {});
  expect(schemas.compilations).toBe(302);
});

const toolOf = (properties: object, more: object = {}) => ({
  ...scriptedTool({ name: "of_server" }),
  parameters: { type: "object", properties, ...more },
});

test("a regular expression in a tool's schema is not run [SEC-09]", () => {
  const expression = "^(a+)+$";
  const text = `${"a".repeat(100)}b`;

  checkInput(toolOf({ text: { type: "string", pattern: expression } }), { text });
  checkInput(toolOf({}, { patternProperties: { [expression]: { type: "number" } } }), {
    [text]: 1,
  });
  checkInput(toolOf({}, { patternProperties: { [expression]: {} }, additionalProperties: false }), {
    [text]: 1,
  });
  checkInput(toolOf({}, { propertyNames: { pattern: expression } }), { [text]: 1 });
});

test("the items of a long list are not compared with each other [SEC-09]", () => {
  const list = Array.from({ length: 100_000 }, (_, at) => ({ at }));

  checkInput(toolOf({ list: { type: "array", uniqueItems: true } }), { list });
});

const node = (more: object) => ({
  type: "object",
  properties: { next: { $ref: "#/$defs/n" } },
  ...more,
});
const branches = {
  $defs: { n: { anyOf: [node({ required: ["x"] }), node({ required: ["y"] })] } },
};

/** Nests an object to the given depth. */
function nest(depth: number): object {
  return depth === 0 ? {} : { next: nest(depth - 1) };
}

test("an input that takes exponential time to check is refused [SEC-09]", () => {
  const tool = toolOf({ root: { $ref: "#/$defs/n" } }, branches);

  expect(() => checkInput(tool, { root: nest(60) })).toThrow(
    "the input of of_server takes too long to check against its schema; send less in one call",
  );
  expect(() => checkInput(tool, { root: nest(3) })).toThrow("must match a schema in anyOf");
});

test("the cost of a check includes the properties of each object [SEC-09]", () => {
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`p${at}`, {}]));
  const tool = toolOf({ list: { type: "array", items: { type: "object", properties: many } } });

  expect(() => checkInput(tool, { list: Array(10_000).fill({}) })).toThrow("takes too long");
  checkInput(tool, { list: Array(100).fill({}) });
});

test.each([
  ["properties", toolOf(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [at, {}])))],
  [
    "references",
    toolOf(
      { root: { $ref: "#/$defs/d0" } },
      {
        $defs: Object.fromEntries(
          Array.from({ length: 5_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]),
        ),
      },
    ),
  ],
])("an input is not checked if its schema has too many %s [SEC-09]", (_, tool) => {
  checkInput(tool, { root: 1 });
});

test("the error for an input with 1000 faults lists only the first 20", () => {
  const list = Array.from({ length: 1000 }, () => 1);
  const tool = toolOf({ list: { type: "array", items: { type: "string" } } });

  expect(() => checkInput(tool, { list })).toThrow(/list\.19 must be string$/);
});

test("checkInput throws if the tool's schema is not a valid JSON Schema", () => {
  expect(() => checkInput(toolOf({ a: { type: "thing" } }), {})).toThrow("schema is invalid");
});
