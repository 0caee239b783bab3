import { expect, test } from "vitest";
import { scriptedTool } from "../testing/scripted-tool.js";
import { createBuiltinTools } from "./builtin/builtin-tools.js";
import { checkInput } from "./check-input.js";
import type { Tool } from "./tool.js";
import { createToolRegistry } from "./tool-registry.js";

const tools = createToolRegistry(
  createBuiltinTools({
    environment: {},
    outputDirectory: "/tmp/out",
    memoryFile: "/tmp/memory.md",
  }),
);

test("the tools have the same names as in Gemini CLI", () => {
  expect(tools.list().map((tool) => tool.name)).toEqual([
    "read_file",
    "list_directory",
    "glob",
    "search_file_content",
    "write_file",
    "replace",
    "run_shell_command",
    "web_fetch",
    "save_memory",
    "write_todos",
  ]);
});

test.each([
  ["read_file", {}, "must have required property 'file_path'"],
  ["read_file", { file_path: 5 }, "file_path must be string"],
  ["read_file", { file_path: "a", offset: 0 }, "offset must be >= 1"],
  ["read_file", { file_path: "a", lines: 5 }, "must NOT have additional properties: unknown lines"],
  ["list_directory", { ignore: "x" }, "ignore must be array"],
  ["glob", { pattern: "" }, "pattern must NOT have fewer than 1 characters"],
  ["search_file_content", {}, "must have required property 'pattern'"],
  ["write_file", { file_path: "a" }, "must have required property 'content'"],
  ["replace", { file_path: "a", old_string: "b" }, "must have required property 'new_string'"],
  ["run_shell_command", { command: "ls", timeout_ms: 9e9 }, "timeout_ms must be <= 3600000"],
  ["web_fetch", { url: "http://a.b", max_bytes: 0.5 }, "max_bytes must be integer"],
  ["save_memory", { fact: "" }, "fact must NOT have fewer than 1 characters"],
])("%s refuses %j and says why", (name, input, fault) => {
  const tool = tools.find(name)!;

  expect(() => checkInput(tool, input)).toThrow(
    expect.objectContaining({
      type: "invalid_input",
      message: expect.stringContaining(`the input of ${name} is not valid: ${fault}`),
    }),
  );
});

test("every parameter of every tool is described to the model", () => {
  for (const { parameters } of tools.list()) {
    for (const property of Object.values(parameters.properties as Record<string, object>)) {
      expect(property).toHaveProperty("description", expect.stringMatching(/.{8,}/));
    }
  }
});

/** Checks an input against a schema; returns the message of the fault, or "valid". */
function check(parameters: Tool["parameters"], input: Readonly<Record<string, unknown>>): string {
  try {
    checkInput({ ...scriptedTool({ name: "t" }), parameters }, input);
    return "valid";
  } catch (reason) {
    return reason instanceof Error ? reason.message : String(reason);
  }
}

const invalid = (...faults: readonly string[]) =>
  `the input of t is not valid: ${faults.join("; ")}`;

test("the error for an input lists at most 20 faults, with their paths and allowed values", () => {
  const colour = { enum: ["red", "blue"] };
  const list = { type: "array", items: { type: "object", properties: { colour } } };
  const schema = { type: "object", properties: { list } };
  const bad = Array.from({ length: 25 }, () => ({ colour: "green" }));
  const fault = (index: number) =>
    `list.${index}.colour must be equal to one of the allowed values: red, blue`;

  expect(check(schema, { list: bad.slice(0, 1) })).toBe(invalid(fault(0)));
  expect(check(schema, { list: bad })).toBe(invalid(...[...Array(20).keys()].map(fault)));
});

test("checkInput ignores schema keywords that are slow or unknown", () => {
  const text = { type: "string", pattern: "^a$", format: "email", invented: true };
  const schema = {
    type: "object",
    properties: { text, list: { type: "array", uniqueItems: true } },
    patternProperties: { "^x": { type: "number" } },
  };

  expect(check(schema, { text: "b", list: [1, 1], x1: "no number" })).toBe("valid");
  expect(check(schema, { text: 1 })).toBe(invalid("text must be string"));
});

test("an input is not checked if its schema costs more than 1,000 or has over 100 references", () => {
  // Without `$defs` the schema costs three: the schema, its property `p` and the schema of `p`.
  const schemaWith = (count: number, part: object) => ({
    type: "object",
    properties: { p: { type: "number" } },
    $defs: Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${index}`, part])),
  });
  const reference = { $ref: "#/properties/p" };
  const input = { p: "no number" };

  expect(check(schemaWith(997, {}), input)).toBe(invalid("p must be number"));
  expect(check(schemaWith(998, {}), input)).toBe("valid");
  expect(check(schemaWith(100, reference), input)).toBe(invalid("p must be number"));
  expect(check(schemaWith(101, reference), input)).toBe("valid");
});

test("an input whose check costs too much is refused, and the next check has the full budget", () => {
  const list = { type: "array", items: { type: "string" } };
  const schema = { type: "object", properties: { list } };
  // The object costs two, and the list and each item cost one.
  const items = (count: number) => ({ list: Array<string>(count - 3).fill("") });
  const tooLong =
    "the input of t takes too long to check against its schema; send less in one call";

  expect(check(schema, items(100_000))).toBe("valid");
  expect(check(schema, items(100_001))).toBe(tooLong);
  expect(check(schema, items(100_000))).toBe("valid");
});
