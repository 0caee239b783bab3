import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { tryTool } from "../testing/try-tool.js";
import { writeTodos } from "./write-todos.js";

const todos = [
  { description: "read the tests", status: "completed" },
  { description: "fix the parser", status: "in_progress" },
  { description: "run the tests", status: "pending" },
  { description: "rename the folder", status: "cancelled" },
];

test("write_todos passes the list to the session and returns it to the model", async () => {
  await using workspace = await openTempWorkspace();

  const trial = await tryTool(writeTodos, { todos }, { workspace });

  expect(trial.todos).toEqual([
    { description: "read the tests", status: "COMPLETED" },
    { description: "fix the parser", status: "IN_PROGRESS" },
    { description: "run the tests", status: "PENDING" },
    { description: "rename the folder", status: "CANCELLED" },
  ]);
  expect(trial.text).toBe(
    [
      "the list is now",
      "1. [completed] read the tests",
      "2. [in_progress] fix the parser",
      "3. [pending] run the tests",
      "4. [cancelled] rename the folder",
    ].join("\n"),
  );
  expect(trial.plan).toMatchObject({ description: "Todos: 1 of 4 done", actions: [] });
});

test("an empty list removes the todo list", async () => {
  await using workspace = await openTempWorkspace();

  const trial = await tryTool(writeTodos, { todos: [] }, { workspace });

  expect(trial).toMatchObject({ todos: [], text: "the list is empty now" });
});

test.each([
  ["two steps in progress", [todos[1], todos[1]], "2 steps are in_progress; mark only one step"],
  ["an unknown status", [{ description: "a", status: "blocked" }], "status"],
  ["an empty description", [{ description: "", status: "pending" }], "description"],
  ["a step that is a string", ["read the tests"], "todos"],
])("write_todos refuses a list with %s", async (_, given, reason) => {
  await using workspace = await openTempWorkspace();

  await expect(tryTool(writeTodos, { todos: given }, { workspace })).rejects.toThrow(reason);
});
