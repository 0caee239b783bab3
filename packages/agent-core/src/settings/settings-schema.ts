import { DEFAULT_GEMINI_MODEL } from "../model/create-model.js";
import type { ModelPrice } from "../model/model-price.js";
import { BUDGET_SCHEMA } from "./budget/budget-settings.js";
import { CALLED_AGENTS_SCHEMA } from "./called-agent-settings.js";
import { SANDBOX_SCHEMA } from "./sandbox/sandbox-settings.js";
import { MCP_SERVERS_SCHEMA } from "./servers/mcp-server-settings.js";
import type { Settings, SettingsLimits } from "./settings.js";
import { SETTINGS_DEFAULTS } from "./settings-defaults.js";

const NAMES = { type: "array", items: { type: "string", minLength: 1 } } as const;

const COUNT = { type: "integer", minimum: 1 } as const;

// `satisfies` makes the compiler check that the schema has exactly the keys of the type.
const LIMITS = {
  maxSteps: {
    ...COUNT,
    default: SETTINGS_DEFAULTS.limits.maxSteps,
    description: "Number of model replies in one turn.",
  },
  maxWorkMs: {
    ...COUNT,
    default: SETTINGS_DEFAULTS.limits.maxWorkMs,
    description: "Working time of the model and the tools in one turn, in milliseconds.",
  },
  maxTokens: {
    ...COUNT,
    default: SETTINGS_DEFAULTS.limits.maxTokens,
    description: "Input, output and thought tokens of one turn.",
  },
  maxRepeats: {
    ...COUNT,
    default: SETTINGS_DEFAULTS.limits.maxRepeats,
    description: "Number of times in a row that the model may request the same calls.",
  },
} as const satisfies Record<keyof SettingsLimits, object>;

const PRICE = { type: "number", minimum: 0 } as const;

const PRICES = {
  input: { ...PRICE, description: "Input tokens." },
  output: { ...PRICE, description: "Output tokens and thoughts." },
  cached: {
    ...PRICE,
    description: "Input tokens from the vendor's cache. Default: the price of input.",
  },
} as const satisfies Record<keyof ModelPrice, object>;

const PROPERTIES = {
  model: {
    type: "string",
    minLength: 1,
    description: `The model that answers: offline, openai:NAME or the name of a Gemini model. Without this key it is ${DEFAULT_GEMINI_MODEL} if a Gemini key is set, else offline.`,
  },
  contextTokens: {
    ...COUNT,
    default: SETTINGS_DEFAULTS.contextTokens,
    description:
      "Number of tokens that fit into one request. Without this key, a Gemini model has its own number.",
  },
  modelSilenceMs: {
    ...COUNT,
    maximum: 300_000,
    default: SETTINGS_DEFAULTS.modelSilenceMs,
    description:
      "Time without data from the model after which its reply is requested again, in milliseconds.",
  },
  thinking: {
    anyOf: [{ enum: ["on", "off"] }, COUNT],
    default: SETTINGS_DEFAULTS.thinking,
    description:
      "Thinking of Gemini models: on, off, or the maximum number of tokens for thoughts. With off, a model that always thinks gets the smallest maximum.",
  },
  mode: {
    enum: ["default", "auto-edit", "yolo", "plan"],
    default: SETTINGS_DEFAULTS.mode,
    description: "Permission mode: which actions the agent asks about.",
  },
  allowedTools: {
    ...NAMES,
    description: "The only tools offered to the model. Without this key, the model gets all tools.",
  },
  excludedTools: {
    ...NAMES,
    default: [],
    description: "Tools that are never offered to the model.",
  },
  mcpServers: MCP_SERVERS_SCHEMA,
  agents: CALLED_AGENTS_SCHEMA,
  extensions: {
    type: "object",
    properties: {
      disabled: { ...NAMES, default: [], description: "Names of extensions that are not used." },
    },
    additionalProperties: false,
  },
  context: {
    type: "object",
    properties: {
      fileNames: {
        type: "array",
        items: { type: "string", pattern: "^[^/\\\\]+$" },
        default: SETTINGS_DEFAULTS.contextFileNames,
        description: "Names of the files that become context.",
      },
    },
    additionalProperties: false,
  },
  limits: {
    type: "object",
    description: "Limits of one turn.",
    properties: LIMITS,
    additionalProperties: false,
  },
  prices: {
    type: "object",
    description:
      "Prices by the name of the model, in dollars per million tokens. The cost of a session is shown for models that have a price.",
    additionalProperties: {
      type: "object",
      properties: PRICES,
      required: ["input", "output"],
      additionalProperties: false,
    },
  },
  budget: BUDGET_SCHEMA,
  sandbox: SANDBOX_SCHEMA,
} as const satisfies Record<keyof Settings, object>;

/** Returns the JSON Schema of the settings files, for editors and for our own check. */
export function settingsJsonSchema(): Readonly<Record<string, unknown>> {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "dt settings",
    description:
      "Settings of dt: .dt/config.yaml in a workspace, ~/.config/dt/config.yaml at home.",
    type: "object",
    properties: PROPERTIES,
    additionalProperties: false,
  };
}
