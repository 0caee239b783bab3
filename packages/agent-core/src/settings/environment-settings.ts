import { checkShape } from "./check-shape.js";
import type { Settings } from "./settings.js";
import { SettingsError } from "./settings-error.js";
import { settingsJsonSchema } from "./settings-schema.js";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads settings from environment variables; throws {@link SettingsError} if a variable is invalid. */
export function environmentSettings(environment: Environment): Settings {
  const settings: Record<string, unknown> = {};
  for (const [variable, { key, read }] of Object.entries(VARIABLES)) {
    const text = environment[variable]?.trim();
    if (!text) continue;
    const value = read(text);
    const [fault] = checkShape(settingsJsonSchema(), nest(key, value));
    if (fault !== undefined) {
      throw new SettingsError([{ file: variable, key: "", problem: fault.problem }]);
    }
    mergeInto(settings, nest(key, value));
  }
  // Each value was checked above.
  return settings as Settings;
}

const VARIABLES: Readonly<Record<string, Variable>> = {
  DT_MODEL: { key: ["model"], read: (text) => text },
  DT_MODEL_SILENCE_MS: { key: ["modelSilenceMs"], read: Number },
  DT_MODE: { key: ["mode"], read: (text) => text },
  DT_ALLOWED_TOOLS: { key: ["allowedTools"], read: toList },
  DT_EXCLUDED_TOOLS: { key: ["excludedTools"], read: toList },
  DT_MAX_STEPS: { key: ["limits", "maxSteps"], read: Number },
  DT_SANDBOX: { key: ["sandbox", "program"], read: (text) => text },
  DT_SANDBOX_NETWORK: { key: ["sandbox", "network"], read: (text) => text },
  DT_SANDBOX_READABLE: { key: ["sandbox", "readable"], read: toList },
  DT_SANDBOX_WRITABLE: { key: ["sandbox", "writable"], read: toList },
  DT_BUDGET_SESSION_TOKENS: { key: ["budget", "sessionTokens"], read: Number },
  DT_BUDGET_SESSION_COST: { key: ["budget", "sessionCost"], read: Number },
  DT_BUDGET_DAY_TOKENS: { key: ["budget", "dayTokens"], read: Number },
  DT_BUDGET_DAY_COST: { key: ["budget", "dayCost"], read: Number },
};

/** Names of the variables that set settings. */
export const SETTING_VARIABLES: readonly string[] = Object.keys(VARIABLES);

/** Returns the key that a variable sets, for example `limits.maxSteps`. */
export function settingKeyOf(variable: string): string {
  return (VARIABLES[variable]?.key ?? []).join(".");
}

interface Variable {
  readonly key: readonly string[];
  read(text: string): unknown;
}

/** Adds a nested value. Keys of the same object are joined. */
function mergeInto(settings: Record<string, unknown>, value: Record<string, unknown>): void {
  for (const [key, part] of Object.entries(value)) {
    const known = settings[key];
    settings[key] = isRecord(known) && isRecord(part) ? { ...known, ...part } : part;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toList(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function nest(key: readonly string[], value: unknown): Record<string, unknown> {
  return key.reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as Record<
    string,
    unknown
  >;
}
