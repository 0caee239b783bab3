import { expect, test } from "vitest";
import type { TaskRow } from "./rows.js";
import { createWrittenRows } from "./written-rows.js";

const row: TaskRow = {
  taskId: "task",
  contextId: "context",
  owner: "alice",
  state: "working",
  firstPosition: 1,
  lastPosition: 1,
  epoch: 1,
  updatedAt: "",
};

test("the cache has the 512 rows that were written last", () => {
  const { tasks } = createWrittenRows();

  for (let index = 0; index < 512; index += 1) tasks.set(`${index}`, row);
  const whenFull = tasks.get("0");
  tasks.set("0", row);
  tasks.set("next", row);

  expect(whenFull).toBe(row);
  expect(["0", "1", "2", "next"].map((key) => tasks.get(key))).toEqual([row, undefined, row, row]);
});

test("a row can be deleted once from the cache, and a cleared cache is empty", () => {
  const written = createWrittenRows();
  written.tasks.set("a", row);
  written.tasks.set("b", row);

  expect([written.tasks.delete("a"), written.tasks.delete("a")]).toEqual([true, false]);
  written.clear();

  expect(written.tasks.get("b")).toBeUndefined();
});
