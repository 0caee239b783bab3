import type { McpServerSettings } from "./servers/mcp-server-settings.js";

/** How freely the agent may act. */
export type SettingsMode = "default" | "auto-edit" | "yolo" | "plan";

/** What a person can set, in files, variables and flags. Whatever is absent has its default elsewhere. */
export interface Settings {
  /** The model that answers: `offline`, `openai:NAME` or the name of a Gemini model. */
  readonly model?: string;
  /** How many tokens fit into one request, for models whose size is not known. */
  readonly contextTokens?: number;
  /** How long a model may send nothing before its answer is asked for again. Default: 120,000. */
  readonly modelSilenceMs?: number;
  readonly mode?: SettingsMode;
  /** The only tools offered to the model. Absent: all of them. */
  readonly allowedTools?: readonly string[];
  /** Tools that are never offered, whatever else allows them. */
  readonly excludedTools?: readonly string[];
  readonly mcpServers?: Readonly<Record<string, McpServerSettings>>;
  readonly extensions?: { readonly disabled?: readonly string[] };
  readonly context?: { readonly fileNames?: readonly string[] };
  readonly limits?: SettingsLimits;
}

/** How far one turn may go; what is left out has a generous default. */
export interface SettingsLimits {
  /** Answers of the model. */
  readonly maxSteps?: number;
  /** Time that the model and the tools may take together. */
  readonly maxWorkMs?: number;
  /** Tokens in and out. */
  readonly maxTokens?: number;
  /** How often the model may ask for the very same calls in a row. */
  readonly maxRepeats?: number;
}

/** The parts of several settings, the most important first, as one. */
export function mergeSettings(layers: readonly Settings[]): Settings {
  return layers.reduceRight<Settings>((below, above) => mergeTwo(below, above), {});
}

// Objects merge by key; lists and scalars replace. A server is one value: half of one and half of
// another would be neither.
function mergeTwo(below: Settings, above: Settings): Settings {
  return {
    ...below,
    ...above,
    ...mergedPart("mcpServers", below, above),
    ...mergedPart("extensions", below, above),
    ...mergedPart("context", below, above),
    ...mergedPart("limits", below, above),
  };
}

function mergedPart<TKey extends "mcpServers" | "extensions" | "context" | "limits">(
  key: TKey,
  below: Settings,
  above: Settings,
): Pick<Settings, TKey> | undefined {
  if (below[key] === undefined || above[key] === undefined) return undefined;
  return { [key]: { ...below[key], ...above[key] } } as Pick<Settings, TKey>;
}
