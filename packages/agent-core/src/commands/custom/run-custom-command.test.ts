import { symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { say, scriptedModel } from "../../testing/scripted-model.js";
import { type CommandStageOptions, openCommandStage } from "../open-command-stage.test-support.js";
import { loadCustomCommands } from "./load-custom-commands.js";

function openStage(
  files: Readonly<Record<string, string>>,
  options: Partial<CommandStageOptions> = {},
) {
  return openCommandStage({
    model: scriptedModel([[say("answered")]]),
    ...options,
    files,
    commands: async ({ workspace }) => {
      const directories = [path.join(workspace.root, ".dt/commands")];
      return (await loadCustomCommands({ directories, workspace, takenNames: [] })).commands;
    },
  });
}

const command = (name: string, text: string) => ({ [`.dt/commands/${name}.md`]: text });

test("a custom command prompts the model with its arguments inserted [SRV-12]", async () => {
  await using stage = await openStage(
    command("fix", "Fix {{args}}; again: $ARGUMENTS, $ARGUMENTSX."),
  );

  expect(await stage.run("/fix the !{rm} @{x} {{args}}")).toBe("answered");

  expect(stage.lastPrompt()).toBe(
    "Fix the !{rm} @{x} {{args}}; again: the !{rm} @{x} {{args}}, $ARGUMENTSX.",
  );
});

test("arguments are appended if the template does not use them", async () => {
  await using stage = await openStage(command("fix", "Fix this.\n"));

  await stage.run("/fix now");

  expect(stage.lastPrompt()).toBe("Fix this.\n\nnow");
});

test("a command without a required argument does not start [RFC-24]", async () => {
  await using stage = await openStage(
    command(
      "fix",
      "---\narguments:\n  - {name: what, description: the bug, required: true}\n---\nx",
    ),
  );

  expect(await stage.begin("/fix")).toEqual({
    status: "FAILED_TO_START",
    message: "/fix needs what: the bug",
  });
});

test("files are inserted literally, and placeholders in them have no effect", async () => {
  await using stage = await openStage({
    ...command("read", "A: @{a.txt}\nB: @{src/{{args}}.txt}"),
    "a.txt": "!{touch hacked} @{b} {{args}}",
    "src/b.txt": "b",
  });

  await stage.run("/read b");

  expect(stage.lastPrompt()).toBe("A: !{touch hacked} @{b} {{args}}\nB: b");
});

test("if the file of a placeholder cannot be inserted, the error names the line of the placeholder", async () => {
  await using stage = await openStage({
    ...command("gone", "one\n@{nope.txt}"),
    ...command("out", "@{../secret.txt}"),
    ...command("link", "@{link.txt}"),
    ...command("large", "@{large.txt}"),
    ...command("bytes", "@{bytes.bin}"),
    "large.txt": "x".repeat(256_001),
    "bytes.bin": "a\0b",
  });
  await writeFile(path.join(stage.directory, "secret.txt"), "secret");
  await symlink(
    path.join(stage.directory, "secret.txt"),
    path.join(stage.workspace.root, "link.txt"),
  );
  const fault = async (name: string) =>
    (await stage.run(`/${name}`)).replace(path.join(stage.workspace.root, ".dt/commands/"), "");

  expect(await fault("gone")).toBe("gone.md:2:1: @{nope.txt}: nope.txt does not exist");
  expect(await fault("out")).toMatch(/^out.md:1:1: .* is outside the workspace$/);
  expect(await fault("link")).toMatch(/^link.md:1:1: .* is outside the workspace$/);
  expect(await fault("large")).toMatch(/^large.md:1:1: .*at most 256000 can be inserted$/);
  expect(await fault("bytes")).toMatch(/^bytes.md:1:1: .*is not UTF-8 or UTF-16 text$/);
  expect(stage.session().snapshot().history).toEqual([]);
});

test("a shell command asks, receives the arguments as one word and inserts its output [RFC-23]", async () => {
  await using stage = await openStage(
    command(
      "shell",
      "Said: !{printf '%s|' {{args}} | awk '{print $1}'}Failed: !{echo no; exit 3}.",
    ),
  );
  const begun = await stage.begin("/shell a; touch 'hacked' $(id)");
  expect(begun).toMatchObject({ status: "AWAITING_SHELL_CONFIRMATION" });
  expect(begun.message).toMatch(/^For \/shell: printf/);

  await stage.answer("proceed_once");
  await stage.untilAsked(2);
  await stage.answer("proceed_once");
  await stage.end();

  expect(stage.lastPrompt()).toBe("Said: a;Failed: no\nexit code: 3.");
});

test("a rejected shell command ends its slash command without further questions", async () => {
  await using stage = await openStage(command("shell", "!{echo one} !{echo two}"));
  await stage.begin("/shell");

  await stage.answer("cancel");
  await stage.end();

  expect(stage.texts()).toEqual(["/shell was stopped: echo one was not allowed"]);
  expect(stage.session().snapshot().history).toEqual([]);
});

test("a slash command fails with the reason if the mode denies its shell command", async () => {
  await using stage = await openStage(command("shell", "!{echo one}"), { mode: "plan" });

  expect(await stage.run("/shell")).toContain("in plan mode only reading is allowed");
});

test("a restart between two questions does not run the first shell command again [LOG-03]", async () => {
  await using stage = await openStage(
    command("shell", "!{echo x >> log; cat log}!{cat log}@{log}"),
  );
  await stage.begin("/shell");
  await stage.answer("proceed_once");
  await stage.untilAsked(2);

  await stage.reopen();
  await stage.answer("proceed_once");
  await stage.end();

  expect(stage.lastPrompt()).toBe("xxx");
});
