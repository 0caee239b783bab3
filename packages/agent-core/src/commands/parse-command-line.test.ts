import type { SlashCommand } from "@dt/schema";
import { expect, test } from "vitest";
import { parseCommandLine } from "./parse-command-line.js";

const leaf = (name: string): SlashCommand => ({
  name,
  description: "",
  arguments: [],
  subCommands: [],
});
const tree = [{ ...leaf("memory"), subCommands: [leaf("add"), leaf("show")] }, leaf("help")];

test.each([
  ["/help", { path: ["help"], args: "" }],
  ["  /help  memory add ", { path: ["help"], args: "memory add" }],
  [
    "/memory add  two  words\nand a line",
    { path: ["memory", "add"], args: "two  words\nand a line" },
  ],
  ["/memory show", { path: ["memory", "show"], args: "" }],
  ["/memory addition", { path: ["memory"], args: "addition" }],
  ["/nope x", { path: ["nope"], args: "x" }],
  ["/usr/bin is a path", undefined],
  ["hello /help", undefined],
  ["/", undefined],
])("parseCommandLine of %j returns %j [RFC-22]", (text, line) => {
  expect(parseCommandLine(text, tree)).toEqual(line);
});
