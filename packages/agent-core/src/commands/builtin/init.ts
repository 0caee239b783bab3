import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { type Command, CommandError } from "../command.js";
import type { CommandServices } from "../command-services.js";

const fileName = "AGENTS.md";
const mostNames = 100;

/** Lets the model describe the workspace in a file that every later session reads. */
export function createInitCommand({
  workspaceRoot,
}: Pick<CommandServices, "workspaceRoot">): Command {
  return {
    name: "init",
    description: `lets the model look at the workspace and write ${fileName}`,
    arguments: [
      { name: "--force", description: `even where there is an ${fileName}`, isRequired: false },
    ],
    async run({ args }) {
      const option = args.trim();
      if (option !== "" && option !== "--force") {
        throw new CommandError(`/init knows no ${option}; there is --force`);
      }
      const isThere = await exists(path.join(workspaceRoot, fileName));
      if (isThere && option === "") {
        const say = `${fileName} is there already; /init --force has the model write it anew`;
        return { type: "done", say };
      }
      const names = await listNames(workspaceRoot);
      return { type: "done", prompt: [{ type: "text", text: instruct(names, isThere) }] };
    },
  };
}

function instruct(names: readonly string[], isThere: boolean): string {
  return [
    `Look at this workspace and write ${fileName} in its root: what every later session of a coding agent must know before it changes anything here.`,
    "Read before you write: the README, the build and package files, the settings of tools, and a few typical source and test files.",
    "Tell in at most 150 lines: what the project is for; how it is laid out; the exact commands to build, check and test it, one test alone included; the conventions that the code follows; what surprises a newcomer.",
    "Write only what you have seen, nothing that is true of every project.",
    ...(isThere
      ? [`There is an ${fileName} already: read it first and keep what still holds.`]
      : []),
    names.length === 0
      ? "The root is empty."
      : `In the root there are: ${names.slice(0, mostNames).join(", ")}${names.length > mostNames ? ", …" : ""}.`,
  ].join("\n");
}

async function listNames(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
}

async function exists(file: string): Promise<boolean> {
  // A link counts, whether or not it leads anywhere.
  return await lstat(file).then(
    () => true,
    () => false,
  );
}
