import type { ItemEvent, ToolCall } from "@dt/schema";
import { buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { plainText } from "../text/span.js";
import { itemLines } from "./item-lines.js";
import { formatDuration } from "./tool-call-lines.js";

const shown = (event: ItemEvent, isExpanded = false) =>
  itemLines(event, {
    width: 40,
    isExpanded,
    isOwn: ({ principal }) => principal === "terminal",
    durationMs: () => 1234,
  }).map(plainText);

const prompt = (text: string, principal: string, name = ""): ItemEvent => ({
  kind: "USER_PROMPT",
  messageId: "m",
  parts: [{ type: "text", text }],
  origin: { principal, name },
});

const output = (text: string): Partial<ToolCall> => ({
  status: "SUCCEEDED",
  result: { $case: "output", value: { result: { $case: "text", value: text } } },
});

const call = (overrides: Partial<ToolCall>): ItemEvent => ({
  kind: "TOOL_CALL_UPDATE",
  toolCall: buildToolCall({ toolName: "shell", description: "Run: ls", ...overrides }),
});

test.each<[name: string, lines: readonly string[], event: ItemEvent]>([
  ["a prompt of the terminal", ["> hi", "  there"], prompt("hi\nthere", "terminal")],
  ["a client's prompt", ["> [A2A] IDE␛[2J hi"], prompt("hi", "local", "IDE\x1b[2J")],
  ["a nameless client's prompt", ["> [A2A] local hi"], prompt("hi", "local")],
  ["text", ["● hi"], { kind: "TEXT_CONTENT", text: "**hi**" }],
  ["a thought", ["∴ Plan"], { kind: "THOUGHT", thought: { subject: "Plan", description: "a\nb" } }],
  ["a summary", ["  a"], { kind: "THOUGHT_SUMMARY", thoughtSummary: { summary: "a\nb" } }],
  ["a warning", ["warning: no key"], { kind: "WARNING", warning: { message: "no key" } }],
  ["a citation", ["↗ X http://x"], { kind: "CITATION", citation: { uri: "http://x", title: "X" } }],
  [
    "a log line",
    ["warn: careful"],
    { kind: "CONSOLE_LOG", log: { type: "warn", content: "careful" } },
  ],
  ["an unknown event", ["(NEW)"], { kind: "UNKNOWN", wireKind: "NEW", parts: [] }],
  ["an ended call", ["✓ shell Run: ls · 1.2s", "  one", "  two"], call(output("one\ntwo\n"))],
  [
    "a failed call",
    ["✗ shell Run: ls · 1.2s", "  no"],
    call({ status: "FAILED", result: { $case: "error", value: { message: "no" } } }),
  ],
  ["a cancelled call", ["⊘ shell Run: ls · cancelled · 1.2s"], call({ status: "CANCELLED" })],
  [
    "a running call",
    ["◐ shell Run: ls · 1.2s", "  x"],
    call({ status: "EXECUTING", liveContent: "x" }),
  ],
])("%s is drawn as the lines %j [CLI-15]", (_, lines, event) => {
  expect(shown(event)).toEqual(lines);
});

test("the files of a prompt are listed below it with their sizes", () => {
  const file = { type: "file" as const, name: "a\x1b.txt", bytes: btoa("12345") };
  const event = prompt("see @a", "terminal") as ItemEvent & { kind: "USER_PROMPT" };

  expect(shown({ ...event, parts: [...event.parts, file] })).toEqual([
    "> see @a",
    "  + a␛.txt (5 bytes)",
  ]);
});

test.each([
  ["many lines", Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n")],
  ["one long line", "long ".repeat(1_000_000)],
])("a prompt of %s is folded in the history and complete in the pager", (_, text) => {
  const event = prompt(text, "terminal");

  expect(shown(event)).toHaveLength(25);
  expect(shown(event).at(-1)).toBe(`  … ${text.length} characters in all (Ctrl-O shows all)`);
  if (text.length < 10_000) expect(shown(event, true)).toHaveLength(100);
});

test("a tool call shows the name of another client that answered its question [CLI-13]", () => {
  const answer = { toolCallId: "a", selectedOptionId: "cancel" };
  const event = call({ status: "CANCELLED" }) as ItemEvent & { kind: "TOOL_CALL_UPDATE" };

  expect(
    shown({ ...event, answer: { ...answer, origin: { principal: "local", name: "IDE" } } }),
  ).toContain("  answered by [A2A] IDE: cancel");
  expect(
    shown({ ...event, answer: { ...answer, origin: { principal: "terminal", name: "" } } }),
  ).toHaveLength(1);
});

test("the pager shows a question completely, even if its dialog cannot", () => {
  const command = Array.from({ length: 50 }, (_, index) => `echo ${index}`).join("\n");
  const question = call({
    status: "PENDING",
    confirmationRequest: {
      options: [],
      details: { $case: "executeDetails", value: { command, workingDirectory: "/w" } },
    },
  });

  expect(shown(question)).toHaveLength(1);
  expect(shown(question, true)).toHaveLength(52);
  expect(shown(question, true).slice(-2)).toEqual(["  echo 49", "  in /w"]);
});

test("long output is folded on the screen and complete in the pager", () => {
  const long = call(output(Array.from({ length: 100 }, (_, index) => `${index}`).join("\n")));

  expect(shown(long)).toHaveLength(8);
  expect(shown(long).at(-1)).toBe("  … 94 more lines (Ctrl-O shows all)");
  expect(shown(long, true)).toHaveLength(101);
  const thought: ItemEvent = { kind: "THOUGHT", thought: { subject: "s", description: "d" } };
  expect(shown(thought, true)).toEqual(["∴ s", "  d"]);
});

test.each([
  [0, "0.0s"],
  [9_940, "9.9s"],
  [12_345, "12s"],
  [185_000, "3m 05s"],
])("a duration of %i ms is written as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
