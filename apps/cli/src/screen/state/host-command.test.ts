import { expect, test } from "vitest";
import { findHostCommand, type HostCommand } from "./host-command.js";

const described = (name: string) => ({ name, description: "", arguments: [], subCommands: [] });
const share: HostCommand = {
  command: described("share"),
  accepts: (args) => args !== "ada observe",
  run: async () => ({ text: "" }),
};

test.each([
  ["/share", ""],
  [" /share  observe ", "observe"],
])("the text %j is a command of this process", (text, args) => {
  expect(findHostCommand(text, [share], [])).toEqual({ host: share, args });
});

test.each(["share", "/shared", "/help share", "say /share"])(
  "the text %j is no command of this process",
  (text) => {
    expect(findHostCommand(text, [share], [])).toBeUndefined();
  },
);

test("if a host command does not accept the arguments, the agent's command of the same name gets them", () => {
  const text = "/share ada observe";

  expect(findHostCommand(text, [share], [described("share")])).toBeUndefined();
  expect(findHostCommand(text, [share], [])?.args).toBe("ada observe");
});
