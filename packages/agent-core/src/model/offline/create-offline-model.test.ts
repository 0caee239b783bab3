import { expect, test } from "vitest";
import { collectAnswer, promptRequest } from "../../testing/model-stand-in/collect-answer.js";
import type { HistoryItem } from "../history.js";
import type { ModelPart } from "../model-part.js";
import { createOfflineModel } from "./create-offline-model.js";

const text = (said: string): ModelPart => ({ type: "text", text: said });
const call = (toolName: string, input: Readonly<Record<string, unknown>>): ModelPart => ({
  type: "tool-request",
  toolName,
  input,
});

test.each<[prompt: string, parts: readonly ModelPart[]]>([
  ["say hello", [text("hello")]],
  ["say a: b, c", [text("a: b, c")]],
  ["say one then say two", [text("one"), text("two")]],
  ["say one\n\nsay two\n", [text("one"), text("two")]],
  [
    "think Plan: first read",
    [{ type: "thought", thought: { subject: "Plan", description: "first read" } }],
  ],
  ["list", [call("list_directory", { path: "." })]],
  ["list src/a", [call("list_directory", { path: "src/a" })]],
  ["read a b.txt", [call("read_file", { file_path: "a b.txt" })]],
  ["read @a\\ b.txt", [call("read_file", { file_path: "a b.txt" })]],
  ["search needle in hay", [call("search_file_content", { pattern: "needle in hay" })]],
  ["glob **/*.ts", [call("glob", { pattern: "**/*.ts" })]],
  ["write a.txt: hello", [call("write_file", { file_path: "a.txt", content: "hello" })]],
  ["write a.txt:", [call("write_file", { file_path: "a.txt", content: "" })]],
  [
    "edit a.txt: one -> two",
    [call("replace", { file_path: "a.txt", old_string: "one", new_string: "two" })],
  ],
  [
    "edit a.txt: one ->",
    [call("replace", { file_path: "a.txt", old_string: "one", new_string: "" })],
  ],
  [
    "edit a.txt: x -> y -> z",
    [call("replace", { file_path: "a.txt", old_string: "x", new_string: "y -> z" })],
  ],
  ["run ls -l | wc", [call("run_shell_command", { command: "ls -l | wc" })]],
  ["remember tabs, not spaces", [call("save_memory", { fact: "tabs, not spaces" })]],
  ['call mcp__x {"a":[1]}', [call("mcp__x", { a: [1] })]],
  ["chunks 3", [text("chunk 1\n"), text("chunk 2\n"), text("chunk 3\n")]],
  [
    "say before then read a then say after",
    [text("before"), call("read_file", { file_path: "a" })],
  ],
])("the offline model follows the instruction %j", async (prompt, parts) => {
  const answer = await collectAnswer(createOfflineModel(), promptRequest(prompt));

  expect(answer).toMatchObject({ parts });
  expect(answer.error).toBeUndefined();
});

test.each([
  "hello there",
  "say",
  "say one then dance",
  "think without a colon",
  "read",
  "write a.txt",
  "edit a.txt: one",
  "call tool",
  "call tool {",
  "call tool [1]",
  "chunks",
  "chunks many",
  "chunks -1",
  "chunks 1000001",
  "wait 3600001",
  "wait 1.5",
  "fail",
  "toString",
  "",
])("the invalid prompt %j is answered with the introduction and the grammar", async (prompt) => {
  const { parts, text: said } = await collectAnswer(createOfflineModel(), promptRequest(prompt));

  expect(parts).toHaveLength(1);
  expect(said).toContain("offline model");
  expect(said).toContain(
    "say TEXT, think SUBJECT: TEXT, list [DIR], read FILE, search TEXT, glob PATTERN, write FILE: TEXT, edit FILE: OLD -> NEW, run COMMAND, remember TEXT, call TOOL JSON, chunks N, wait MS, fail TEXT",
  );
  expect(said).toContain("GEMINI_API_KEY");
  expect(said).toContain("OPENAI_BASE_URL");
  expect(said).toContain("--model openai:NAME");
});

test("the reply after a tool call continues with the next instruction", async () => {
  const prompt = promptRequest("read a then say mid then read b then say end").history ?? [];
  const asked: HistoryItem = { role: "model", parts: [] };

  const second = await collectAnswer(createOfflineModel(), { history: [...prompt, asked] });
  const third = await collectAnswer(createOfflineModel(), { history: [...prompt, asked, asked] });
  const fourth = await collectAnswer(createOfflineModel(), {
    history: [...prompt, asked, asked, asked],
  });

  expect(second.parts).toEqual([text("mid"), call("read_file", { file_path: "b" })]);
  expect(third.parts).toEqual([text("end")]);
  expect(fourth.parts).toEqual([]);
});

test('the instruction "wait" delays the instructions after it', async () => {
  const order: string[] = [];
  const model = createOfflineModel({ sleep: async (ms) => void order.push(`waited ${ms}`) });
  const { signal } = new AbortController();
  const { history = [] } = promptRequest("say a then wait 3600000 then say b");

  for await (const part of model.stream({ history, tools: [], signal })) {
    if (part.type === "text") order.push(part.text);
  }

  expect(order).toEqual(["a", "waited 3600000", "b"]);
});

test("cancelling a turn ends its wait, and no further instruction is followed", async () => {
  const controller = new AbortController();
  const { history = [] } = promptRequest("say a then wait 3600000 then say b");
  const said: ModelPart[] = [];

  const { signal } = controller;
  for await (const part of createOfflineModel().stream({ history, tools: [], signal })) {
    said.push(part);
    setImmediate(() => controller.abort());
  }

  expect(said).toEqual([text("a")]);
});

test("a cancel takes effect before a million chunks are sent", async () => {
  const controller = new AbortController();
  const { history = [] } = promptRequest("chunks 1000000");
  let chunks = 0;
  setImmediate(() => controller.abort());

  const { signal } = controller;
  for await (const _ of createOfflineModel().stream({ history, tools: [], signal })) chunks += 1;

  expect(chunks).toBeLessThan(1000);
});

test('the instruction "fail" ends the reply with an error after the earlier instructions', async () => {
  const answer = await collectAnswer(
    createOfflineModel(),
    promptRequest("say a then fail on purpose"),
  );

  expect(answer).toMatchObject({ parts: [text("a")], error: "on purpose" });
});
