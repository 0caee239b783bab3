import type { ExternalUpdate } from "@dt/schema";
import { expect, test } from "vitest";
import { sizeOfUpdate } from "./update-size.js";

const long = "x".repeat(10_000);

test.each<ExternalUpdate>([
  { type: "text", text: long },
  { type: "text", text: "", attachments: [{ type: "file", bytes: long }] },
  { type: "thought", text: long },
  { type: "call", call: { id: "1", text: long } },
  { type: "todos", todos: [{ description: long, status: "PENDING" }] },
  { type: "notice", level: "info", text: long },
  { type: "offer", notice: long },
])("the limit of a turn counts the content of a $type [SEC-09]", (update) => {
  expect(sizeOfUpdate(update)).toBeGreaterThanOrEqual(long.length);
  expect(sizeOfUpdate(update)).toBeLessThan(long.length + 100);
});
