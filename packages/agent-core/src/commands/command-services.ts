import type { SlashCommand } from "@dt/schema";
import type { Checkpoints } from "../checkpoints/checkpoint.js";
import type { Extension } from "../extensions/extension.js";
import type { McpManager } from "../mcp/mcp-manager.js";
import type { Trust } from "../settings/trust.js";
import type { Tool } from "../tools/tool.js";

/** All that the built-in commands need of the session they belong to. What it lacks is left out. */
export interface CommandServices {
  /** The root of the workspace, absolute. */
  readonly workspaceRoot: string;
  /** The tools there are; the internal ones are not shown. */
  tools(): readonly Pick<Tool, "name" | "description" | "isInternal">[];
  /** The names of tools that settings or extensions keep from the model. */
  excludedTools?(): readonly string[];
  /** The model that answers where nobody chose another. */
  currentModel(): string;
  /** The models there are; left out where any name may be tried. */
  modelNames?(): readonly string[];
  /** All commands of the session, for `/help`. Default: the built-in ones. */
  commands?(): readonly SlashCommand[];
  readonly mcp?: Pick<McpManager, "status" | "restart">;
  readonly extensions?: ExtensionService;
  readonly memory?: MemoryService;
  readonly checkpoints?: Pick<Checkpoints, "list">;
  readonly trust?: Pick<Trust, "isTrusted" | "trust" | "distrust">;
}

/** The extensions, and their switches. */
export interface ExtensionService {
  list(): Promise<readonly Pick<Extension, "name" | "version" | "isEnabled">[]>;
  enable(name: string): Promise<void>;
  disable(name: string): Promise<void>;
}

/** What the model is told before every conversation. */
export interface MemoryService {
  /** All of it, as the model gets it. */
  show(): Promise<string>;
  /** Remembers a fact in all later sessions. */
  add(fact: string): Promise<void>;
  /** Reads the files again. */
  refresh(): Promise<{ readonly files: readonly string[] }>;
  /** The files that it comes from. */
  list(): Promise<readonly string[]>;
}
