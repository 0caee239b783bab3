import type { MemoryService } from "../commands/command-services.js";
import {
  type ContextFilesOptions,
  collectContextFiles,
} from "../settings/context/context-files.js";
import type { ContextFiles } from "../settings/context/read-context.js";
import type { MayExist } from "../settings/files/directory-listing.js";
import { rememberIn } from "../tools/builtin/save-memory.js";

/** The context files of a session. They are read once, and again on demand. */
export interface AgentMemory extends MemoryService {
  /** Text of the context files, as they were last read. It becomes a part of the system prompt. */
  readonly text: string;
}

/** Reads the context files. `memoryFile` is the context file that receives new facts. */
export async function openAgentMemory(
  options: ContextFilesOptions,
  memoryFile: string,
  mayExist?: MayExist,
): Promise<AgentMemory> {
  const context = await collectContextFiles(options, mayExist);
  return new SessionMemory(options, memoryFile, context);
}

class SessionMemory implements AgentMemory {
  private readonly options: ContextFilesOptions;
  private readonly memoryFile: string;
  private context: ContextFiles;

  constructor(options: ContextFilesOptions, memoryFile: string, context: ContextFiles) {
    this.options = options;
    this.memoryFile = memoryFile;
    this.context = context;
  }

  get text(): string {
    return this.context.text;
  }

  async show(): Promise<string> {
    return this.context.text;
  }

  async list(): Promise<readonly string[]> {
    return this.context.files;
  }

  async refresh(): Promise<{ readonly files: readonly string[] }> {
    this.context = await collectContextFiles(this.options);
    return { files: this.context.files };
  }

  async add(fact: string): Promise<void> {
    await rememberIn(this.memoryFile, fact);
    await this.refresh();
  }
}
