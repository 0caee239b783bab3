import type { Thinking } from "../model/model.js";
import type { ModelPrice } from "../model/model-price.js";
import { type BudgetSettings, mergeBudgets } from "./budget/budget-settings.js";
import type { CalledAgentSettings } from "./called-agent-settings.js";
import type { SandboxSettings } from "./sandbox/sandbox-settings.js";
import type { McpServerSettings } from "./servers/mcp-server-settings.js";

/** Permission mode: which actions the agent asks about. */
export type SettingsMode = "default" | "auto-edit" | "yolo" | "plan";

/**
 * Everything that a person can set in files, variables and flags. The defaults are in
 * settings-defaults.ts.
 */
export interface Settings {
  /** The model that answers: `offline`, `openai:NAME` or the name of a Gemini model. */
  readonly model?: string;
  /** Number of tokens that fit into one request. Without this key, a Gemini model has its own number. */
  readonly contextTokens?: number;
  /**
   * Milliseconds without data from the model after which its reply is requested again. Default:
   * 120,000.
   */
  readonly modelSilenceMs?: number;
  /**
   * Thinking of Gemini models: `on`, `off`, or the maximum number of tokens for thoughts. Default:
   * on.
   */
  readonly thinking?: Thinking;
  readonly mode?: SettingsMode;
  /** The only tools offered to the model. Without this key, the model gets all tools. */
  readonly allowedTools?: readonly string[];
  /** Tools that are never offered, even if another setting allows them. */
  readonly excludedTools?: readonly string[];
  readonly mcpServers?: Readonly<Record<string, McpServerSettings>>;
  /** Other agents that the agent can call with the tool `call_agent`. */
  readonly agents?: Readonly<Record<string, CalledAgentSettings>>;
  readonly extensions?: { readonly disabled?: readonly string[] };
  readonly context?: { readonly fileNames?: readonly string[] };
  readonly limits?: SettingsLimits;
  /** Prices by the name of the model, in dollars per million tokens. */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /** Limits of tokens and money. Of several files, the lowest limits apply. */
  readonly budget?: BudgetSettings;
  /** The sandbox of commands. The settings of a workspace cannot set it. */
  readonly sandbox?: SandboxSettings;
}

/** Limits of one turn. Each limit has a generous default. */
export interface SettingsLimits {
  /** Maximum number of model replies. */
  readonly maxSteps?: number;
  /** Maximum working time of the model and the tools together. */
  readonly maxWorkMs?: number;
  /** Maximum number of input, output and thought tokens together. */
  readonly maxTokens?: number;
  /** Maximum number of times in a row that the model requests the same calls. */
  readonly maxRepeats?: number;
}

/** Merges several layers of settings. Earlier layers override later layers. */
export function mergeSettings(layers: readonly Settings[]): Settings {
  return layers.reduceRight<Settings>((below, above) => mergeTwo(below, above), {});
}

// Merges two layers. Objects are merged by key, and lists and scalars are replaced. A server and a called
// agent are replaced as a whole, because a mixture of two is not valid, and a token must not go to another address.
function mergeTwo(below: Settings, above: Settings): Settings {
  return {
    ...below,
    ...above,
    ...mergedPart("mcpServers", below, above),
    ...mergedPart("agents", below, above),
    ...mergedPart("extensions", below, above),
    ...mergedPart("context", below, above),
    ...mergedPart("limits", below, above),
    ...mergedPart("prices", below, above),
    ...mergedPart("sandbox", below, above),
    ...mergedBudget(below, above),
  };
}

// A budget that is set is never raised by another layer, for example by the settings of a workspace.
function mergedBudget(below: Settings, above: Settings): Pick<Settings, "budget"> | undefined {
  if (below.budget === undefined || above.budget === undefined) return undefined;
  return { budget: mergeBudgets(below.budget, above.budget) };
}

function mergedPart<
  TKey extends "mcpServers" | "agents" | "extensions" | "context" | "limits" | "prices" | "sandbox",
>(key: TKey, below: Settings, above: Settings): Pick<Settings, TKey> | undefined {
  if (below[key] === undefined || above[key] === undefined) return undefined;
  return { [key]: { ...below[key], ...above[key] } } as Pick<Settings, TKey>;
}
