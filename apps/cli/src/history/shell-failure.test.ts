import type { ToolCall } from "@dt/schema";
import { buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { plainText } from "../text/span.js";
import { findShellFailure } from "./shell-failure.js";
import { toolCallLines } from "./tool-call-lines.js";

const ran = (text: string, toolName = "run_shell_command"): ToolCall =>
  buildToolCall({
    toolName,
    description: "make",
    status: "SUCCEEDED",
    result: { $case: "output", value: { result: { $case: "text", value: text } } },
  });

test.each(["exit code: 0", "a\nexit code: 0", "exit code: 2\nexit code: 0"])(
  "a shell command whose output is %j has not failed",
  (text) => {
    expect(findShellFailure(ran(text))).toBeUndefined();
  },
);

test.each([
  ["a\nexit code: 2", "exit code 2"],
  ["a\nexit code: 130", "exit code 130"],
  ["a\nended by signal SIGKILL", "ended by signal SIGKILL"],
])("a shell command whose output is %j has failed with %j", (text, end) => {
  expect(findShellFailure(ran(text))).toEqual({ end, output: "a\n" });
});

test("the output of another tool is never read as an exit code", () => {
  expect(findShellFailure(ran("exit code: 1", "read_file"))).toBeUndefined();
});

test("a failed command shows its exit code and the first and last lines of its output", () => {
  const text = `${Array.from({ length: 20 }, (_, n) => `line ${n}`).join("\n")}\nexit code: 2`;

  const lines = toolCallLines(ran(text), { width: 80, isExpanded: false }).map(plainText);

  expect(lines).toEqual([
    "✗ run_shell_command make · exit code 2",
    "  line 0",
    "  line 1",
    "  line 2",
    "  … 14 more lines (Ctrl-O shows all)",
    "  line 17",
    "  line 18",
    "  line 19",
  ]);
});
