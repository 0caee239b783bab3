import type { MemoryService } from "../commands/command-services.js";
import {
  type ContextFilesOptions,
  collectContextFiles,
} from "../settings/context/context-files.js";
import type { ContextFiles } from "../settings/context/read-context.js";
import type { MayExist } from "../settings/directory-listing.js";
import { rememberIn } from "../tools/builtin/save-memory.js";

/** The context files of a session. They are read once, and again on demand. */
export interface AgentMemory extends MemoryService {
  /** Text for the system prompt, as of the last read. */
  readonly text: string;
}

/** Reads the context files. New facts are added to `memoryFile`, which is one of them. */
export async function openAgentMemory(
  options: ContextFilesOptions,
  memoryFile: string,
  mayExist?: MayExist,
): Promise<AgentMemory> {
  let context: ContextFiles = await collectContextFiles(options, mayExist);

  async function refresh(): Promise<{ readonly files: readonly string[] }> {
    context = await collectContextFiles(options);
    return { files: context.files };
  }

  return {
    get text() {
      return context.text;
    },
    show: async () => context.text,
    list: async () => context.files,
    refresh,
    async add(fact) {
      await rememberIn(memoryFile, fact);
      await refresh();
    },
  };
}
