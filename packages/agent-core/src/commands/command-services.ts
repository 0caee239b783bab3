import type { BudgetUse, ServerPolicy, SlashCommand } from "@dt/schema";
import type { Checkpoints } from "../checkpoints/checkpoint.js";
import type { Extension } from "../extensions/extension.js";
import type { McpManager } from "../mcp/mcp-manager.js";
import type { Trust } from "../settings/trust.js";
import type { Tool } from "../tools/tool.js";

/** Services of a session that the built-in commands use. A session may lack some of them. */
export interface CommandServices {
  /** Absolute path of the workspace. */
  readonly workspaceRoot: string;
  /** Returns the tools. `/tools` leaves out internal ones. */
  tools(): readonly Pick<Tool, "name" | "description" | "isInternal">[];
  /** Names of tools that settings or extensions exclude. */
  excludedTools?(): readonly string[];
  /** Name of the model that the session uses now. */
  currentModel(): string;
  /** Reads the use of the budgets. The function is missing if the session has no budgets. */
  readBudgets?(): Promise<readonly BudgetUse[]>;
  /** Returns the names of all models. If the function is missing, any name may be used. */
  modelNames?(): readonly string[];
  /** All commands of the session, for `/help`. Default: the built-in ones. */
  commands?(): readonly SlashCommand[];
  readonly mcp?: Pick<McpManager, "status" | "restart">;
  readonly extensions?: ExtensionService;
  readonly memory?: MemoryService;
  readonly checkpoints?: () => Promise<Pick<Checkpoints, "list">>;
  /** Limits that nobody can loosen. Default: no limits. */
  readonly policy?: ServerPolicy;
  readonly trust?: Pick<Trust, "isTrusted" | "trust" | "distrust">;
}

/** Lists extensions and switches them on and off. */
export interface ExtensionService {
  list(): Promise<readonly Pick<Extension, "name" | "version" | "isEnabled">[]>;
  enable(name: string): Promise<void>;
  disable(name: string): Promise<void>;
}

/** Reads and changes the context files, whose text is part of every system prompt. */
export interface MemoryService {
  /** Returns the whole text as the model gets it. */
  show(): Promise<string>;
  /** Saves a fact for all later sessions. */
  add(fact: string): Promise<void>;
  /** Reads the files again, and returns their paths. */
  refresh(): Promise<{ readonly files: readonly string[] }>;
  /** Lists the context files. */
  list(): Promise<readonly string[]>;
}
