import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { type Command, CommandError } from "../command.js";
import type { CommandServices } from "../command-services.js";

const FILE_NAME = "AGENTS.md";
const MAX_NAMES = 100;

/** Creates `/init`, which asks the model to describe the workspace for later sessions. */
export function createInitCommand({
  workspaceRoot,
}: Pick<CommandServices, "workspaceRoot">): Command {
  return {
    name: "init",
    description: `lets the model read the workspace and write ${FILE_NAME}`,
    arguments: [
      { name: "--force", description: `replaces an existing ${FILE_NAME}`, isRequired: false },
    ],
    async run({ args }) {
      const option = args.trim();
      if (option !== "" && option !== "--force") {
        throw new CommandError(`/init has no option ${option}; it has --force`);
      }
      const hasFile = await exists(path.join(workspaceRoot, FILE_NAME));
      if (hasFile && option === "") {
        const say = `${FILE_NAME} exists already; /init --force lets the model replace it`;
        return { type: "done", say };
      }
      const names = await listNames(workspaceRoot);
      return { type: "done", prompt: [{ type: "text", text: buildInstructions(names, hasFile) }] };
    },
  };
}

function buildInstructions(names: readonly string[], hasFile: boolean): string {
  return [
    `Look at this workspace and write ${FILE_NAME} in its root: what every later session of a coding agent must know before it changes anything here.`,
    "Read before you write: the README, the build and package files, the settings of tools, and a few typical source and test files.",
    "Tell in at most 150 lines: what the project is for; how it is laid out; the exact commands to build, check and test it, one test alone included; the conventions that the code follows; what surprises a newcomer.",
    "Write only what you have seen, nothing that is true of every project.",
    ...(hasFile
      ? [`There is an ${FILE_NAME} already: read it first and keep what still holds.`]
      : []),
    names.length === 0
      ? "The root is empty."
      : `In the root there are: ${names.slice(0, MAX_NAMES).join(", ")}${names.length > MAX_NAMES ? ", …" : ""}.`,
  ].join("\n");
}

async function listNames(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
}

async function exists(file: string): Promise<boolean> {
  // `lstat` also finds a symbolic link whose target does not exist.
  return await lstat(file).then(
    () => true,
    () => false,
  );
}
