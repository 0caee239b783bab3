import { expect, test } from "vitest";
import { joinCommands } from "./join-commands.js";
import { listExtensions } from "./list-extensions.js";

test("list-extensions returns name, version and state of each extension [SRV-12]", () => {
  const extension = { name: "docs", version: "1.0.0", isEnabled: false, path: "/x" };

  expect(listExtensions([extension])).toEqual({
    extensions: [{ name: "docs", version: "1.0.0", enabled: false }],
  });
});

test("if several lists contain a command of the same name, the first list's command is used [SRV-12]", () => {
  const command = (name: string, description: string) => ({ name, description });

  const joined = joinCommands(
    [command("help", "built in")],
    [command("help", "code"), command("deploy", "code")],
    [command("deploy", "file"), command("fix", "file")],
  );

  expect(joined.map(({ name, description }) => `${name} ${description}`)).toEqual([
    "help built in",
    "deploy code",
    "fix file",
  ]);
});
