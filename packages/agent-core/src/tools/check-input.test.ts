import { expect, test } from "vitest";
import { createBuiltinTools } from "./builtin/builtin-tools.js";
import { checkInput } from "./check-input.js";
import { createToolRegistry } from "./tool-registry.js";

const tools = createToolRegistry(
  createBuiltinTools({
    environment: {},
    outputDirectory: "/tmp/out",
    memoryFile: "/tmp/memory.md",
  }),
);

test("the tools are named as in Gemini CLI", () => {
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
  ]);
});

test.each([
  ["read_file", {}, "must have required property 'file_path'"],
  ["read_file", { file_path: 5 }, "file_path must be string"],
  ["read_file", { file_path: "a", offset: 0 }, "offset must be >= 1"],
  [
    "read_file",
    { file_path: "a", lines: 5 },
    "must NOT have additional properties: there is no lines",
  ],
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
