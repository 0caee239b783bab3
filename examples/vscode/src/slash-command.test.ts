import type { SlashCommand } from "@dt/client";
import { expect, test } from "vitest";
import { commandHints, parseSlashCommand } from "./slash-command.js";

const command = (name: string, ...subCommands: SlashCommand[]): SlashCommand => ({
  name,
  description: `does ${name}`,
  arguments: [],
  subCommands,
});
const commands = [command("help"), command("memory", command("add"), command("show"))];

test.each(["say hello", "/"])("the text %j is no slash command", (text) => {
  expect(parseSlashCommand(text, commands)).toBeUndefined();
});

test.each([
  ["/help", { path: ["help"], args: "" }],
  ["  /help  me  please", { path: ["help"], args: "me  please" }],
  ["/memory add use tabs\nalways", { path: ["memory", "add"], args: "use tabs\nalways" }],
  ["/memory grow", { path: ["memory"], args: "grow" }],
  ["/grepp it", { path: ["grepp"], args: "it" }],
])("parseSlashCommand parses %j as %j", (text, parsed) => {
  expect(parseSlashCommand(text, commands)).toEqual(parsed);
});

test("commandHints lists the commands without sub-commands, with path and description [RFC-22]", () => {
  expect(commandHints(commands)).toEqual([
    { typed: "/help", description: "does help" },
    { typed: "/memory add", description: "does add" },
    { typed: "/memory show", description: "does show" },
  ]);
});
