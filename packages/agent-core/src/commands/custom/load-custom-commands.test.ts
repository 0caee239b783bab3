import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { describeFault } from "../../settings/settings-error.js";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { loadCustomCommands } from "./load-custom-commands.js";

async function openFolder(files: Readonly<Record<string, string>>) {
  const workspace = await openTempWorkspace();
  const directory = path.join(workspace.root, ".dt", "commands");
  for (const [file, text] of Object.entries(files)) {
    const absolute = path.join(directory, file);
    await mkdir(path.dirname(absolute), { recursive: true });
    await writeFile(absolute, text);
  }
  return {
    directory,
    load: (directories = [directory]) =>
      loadCustomCommands({ directories, workspace, takenNames: ["help"] }),
    async faults(): Promise<readonly string[]> {
      const { warnings } = await this.load();
      return warnings.map((fault) => path.relative(directory, describeFault(fault)));
    },
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

test("files become commands, and folders become groups of commands [SRV-12]", async () => {
  await using folder = await openFolder({
    "review.md":
      "---\ndescription: reviews a file\narguments:\n  - name: file\n    description: which\n    required: true\n---\nReview {{args}}",
    "git/commit.md": "Commit.\n\n---\n\nNow.",
    "git/log/short.md": "Show $ARGUMENTS",
    "git.md": "Be careful with git.",
    "notes.txt": "no command",
  });

  const { commands, warnings } = await folder.load();

  expect(warnings).toEqual([]);
  expect(commands).toMatchObject([
    {
      name: "git",
      run: expect.any(Function),
      subCommands: [
        { name: "commit", arguments: [] },
        {
          name: "log",
          description: "commands of git/log",
          subCommands: [{ name: "short", arguments: [{ name: "args", isRequired: false }] }],
        },
      ],
    },
    {
      name: "review",
      description: "reviews a file",
      arguments: [{ name: "file", description: "which", isRequired: true }],
    },
  ]);
});

test("a command with a built-in name is left out with a warning", async () => {
  await using folder = await openFolder({ "help.md": "x", "help/me.md": "y", "fine.md": "z" });

  const { commands } = await folder.load();

  expect(commands.map(({ name }) => name)).toEqual(["fine"]);
  expect(await folder.faults()).toEqual([
    "help/me.md: is not used, because /help is built in; rename the file",
    "help.md: is not used, because /help is built in; rename the file",
  ]);
});

test("if two directories have a command of the same name, the first directory's command is used", async () => {
  await using first = await openFolder({ "git/a.md": "---\ndescription: first\n---\nx" });
  await using second = await openFolder({
    "git/a.md": "---\ndescription: second\n---\nx",
    "git/b.md": "---\ndescription: second\n---\nx",
  });

  const { commands } = await first.load([first.directory, "/nowhere", second.directory]);

  const subs = commands[0]?.subCommands?.map(({ name, description }) => [name, description]);
  expect(subs).toEqual([
    ["a", "first"],
    ["b", "second"],
  ]);
});

test("a warning names file and line of a fault, and other commands work", async () => {
  await using folder = await openFolder({
    "bad name.md": "x",
    "badkey.md": "---\ndescription: d\ncolour: red\n---\nx",
    "badtype.md": "---\narguments:\n  - name: a\n  - description: b\n---\nx",
    "badyaml.md": "---\ndescription: d\ndescription: e\n---\nx",
    "blank.md": "---\ndescription: d\n---\n\n",
    "good.md": "x",
    "open.md": "---\ndescription: d\nx",
    "unclosed.md": "---\ndescription: d\n---\none\n@{a}\nrun !{ls {a}",
    "void.md": "one @{ }",
  });

  const { commands } = await folder.load();

  expect(commands.map(({ name }) => name)).toEqual(["good"]);
  expect(await folder.faults()).toEqual([
    "bad name.md: the name of a command may contain only letters, digits, dots, dashes and underscores",
    "badkey.md:3:1: colour is not a setting; the settings are description, arguments",
    "badtype.md:4:5: arguments.1 must have required property 'name'",
    "badyaml.md:3:1: Map keys must be unique",
    "blank.md:4:1: the prompt is missing",
    "open.md:1:1: the front matter has no closing line of ---",
    "unclosed.md:6:1: !{ has no closing }",
    "void.md:1:1: @{} is empty",
  ]);
});

test("the next session uses the new content of a changed file", async () => {
  await using folder = await openFolder({ "greet.md": "---\ndescription: says hello\n---\nHello" });
  const first = await folder.load();
  await writeFile(
    path.join(folder.directory, "greet.md"),
    "---\ndescription: says goodbye\n---\nGoodbye",
  );

  const second = await folder.load();

  expect(first.commands.map(({ description }) => description)).toEqual(["says hello"]);
  expect(second.commands.map(({ description }) => description)).toEqual(["says goodbye"]);
});

test("a loop of links does not hang the search", async () => {
  await using folder = await openFolder({ "a/x.md": "x" });
  await symlink("..", path.join(folder.directory, "a", "up"));

  const { commands } = await folder.load();

  expect(commands.map(({ name }) => name)).toEqual(["a"]);
});
