import { SAVE_MEMORY_TOOL_NAME } from "../../tools/builtin/save-memory.js";
import { type Command, CommandError } from "../command.js";
import type { CommandServices, MemoryService } from "../command-services.js";
import { askToChange } from "./ask-to-change.js";

/** Creates `/memory`, which shows and changes the context files of the model. */
export function createMemoryCommand({ memory }: Pick<CommandServices, "memory">): Command {
  return {
    name: "memory",
    description: "shows and changes the context files that the model reads",
    subCommands: [
      {
        name: "show",
        description: "shows the whole text of the context files",
        runsConcurrently: () => true,
        run: async () => {
          const text = await getMemory(memory).show();
          return { type: "done", say: text.trim() === "" ? "nothing is remembered yet" : text };
        },
      },
      {
        name: "add",
        description: "saves a fact for all later sessions",
        arguments: [{ name: "fact", description: "what to remember", isRequired: true }],
        asksFirst: (_args, { isHost }) => !isHost,
        run: async ({ args, caller }) => {
          const fact = args.trim();
          const service = getMemory(memory);
          const done = { type: "done", say: `remembered: ${fact}` } as const;
          if (!caller.isHost) {
            const call = { toolName: SAVE_MEMORY_TOOL_NAME, input: { fact } };
            return askToChange(call, async () => {
              await service.refresh();
              return done;
            });
          }
          await service.add(fact);
          return done;
        },
      },
      {
        name: "refresh",
        description: "reads the context files again",
        run: async () => {
          const { files } = await getMemory(memory).refresh();
          return { type: "done", say: describeFiles(files) };
        },
      },
      {
        name: "list",
        description: "lists the context files in use",
        runsConcurrently: () => true,
        run: async () => ({ type: "done", say: describeFiles(await getMemory(memory).list()) }),
      },
    ],
  };
}

function getMemory(memory: MemoryService | undefined): MemoryService {
  if (memory === undefined) throw new CommandError("this session has no memory");
  return memory;
}

function describeFiles(files: readonly string[]): string {
  if (files.length === 0) return "no context files are in use";
  const count = files.length === 1 ? "1 context file is" : `${files.length} context files are`;
  return [`${count} in use:`, ...files.map((file) => `  ${file}`)].join("\n");
}
