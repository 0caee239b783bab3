import type { SlashCommand } from "@dt/schema";
import { expect, test } from "vitest";
import { completeCommand } from "./complete-command.js";

const command = (name: string, more: Partial<SlashCommand> = {}): SlashCommand => ({
  name,
  description: `does ${name}`,
  arguments: [],
  subCommands: [],
  ...more,
});
const argument = (name: string, isRequired: boolean) => ({ name, description: "what", isRequired });
const COMMANDS = [
  command("model", { arguments: [argument("name", false)] }),
  command("mode"),
  command("memory", {
    subCommands: [command("show"), command("add", { arguments: [argument("fact", true)] })],
  }),
];

test.each(["hello", "/unknown sub"])("the typed text %j has no menu of commands", (typed) => {
  expect(completeCommand(typed, COMMANDS)).toBeUndefined();
});

test.each([
  ["/nope/x", []],
  ["/x", []],
  ["/", ["/model ", "/mode", "/memory "]],
  ["/m", ["/model ", "/mode", "/memory "]],
  ["/mode", ["/mode", "/model "]],
  ["/memory ", ["/memory show", "/memory add "]],
  ["/memory a", ["/memory add "]],
  ["/memory add some fact", []],
])("the typed text %j has the completions %j", (typed, texts) => {
  expect(completeCommand(typed, COMMANDS)?.choices.map(({ text }) => text)).toEqual(texts);
});

test("a command that needs arguments is incomplete and has a hint", () => {
  expect(completeCommand("/memory add", COMMANDS)).toEqual({
    choices: [
      {
        text: "/memory add ",
        label: "/memory add fact",
        description: "does add",
        isComplete: false,
      },
    ],
    hint: "fact — fact: what",
  });
  expect(completeCommand("/model x", COMMANDS)).toEqual({
    choices: [],
    hint: "[name] — name: what",
  });
});

test("many spaces before a line break are matched in linear time [SEC-09]", () => {
  expect(completeCommand(`/mode${" ".repeat(10_000)}\nx`, COMMANDS)).toBeUndefined();
});
