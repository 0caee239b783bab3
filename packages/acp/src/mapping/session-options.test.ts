import type { SlashCommand } from "@dt/schema";
import { expect, test } from "vitest";
import { encodeCommands, encodeConfigOptions, findNamedCommand } from "./session-options.js";

const command = (name: string, subCommands: readonly SlashCommand[] = []): SlashCommand => ({
  name,
  description: `does ${name}`,
  arguments: [],
  subCommands,
});
const COMMANDS = [command("help"), command("memory", [command("add"), command("show")])];

test.each([
  ["/help", { path: ["help"], args: "" }],
  ["/help me  now", { path: ["help"], args: "me  now" }],
  ["/memory add use tabs", { path: ["memory", "add"], args: "use tabs" }],
  ["/memory other", { path: ["memory"], args: "other" }],
  ["/unknown", undefined],
  ["help", undefined],
  ["/", undefined],
])("findNamedCommand(%j) returns %j", (text, found) => {
  expect(findNamedCommand(text, COMMANDS)).toEqual(found);
});

test("the hint of a command lists its sub-commands", () => {
  expect(encodeCommands(COMMANDS)).toEqual([
    { name: "help", description: "does help" },
    { name: "memory", description: "does memory", input: { hint: "add | show" } },
  ]);
});

test("an option without a known value is not offered, and the current model is always a choice", () => {
  const ids = encodeConfigOptions({ model: "" }, ["a"]);
  const [, model] = encodeConfigOptions({ mode: "plan", model: "b" }, ["a"]);

  expect(ids).toEqual([]);
  expect(model).toMatchObject({ currentValue: "b", options: [{ value: "a" }, { value: "b" }] });
});
