import { DEFAULT_GEMINI_MODEL } from "../model/create-model.js";
import { mcpServersSchema } from "./servers/mcp-server-settings.js";
import type { Settings, SettingsLimits } from "./settings.js";
import { SETTINGS_DEFAULTS } from "./settings-defaults.js";

const names = { type: "array", items: { type: "string", minLength: 1 } } as const;

const count = { type: "integer", minimum: 1 } as const;

// `satisfies` keeps schema and type in step.
const limits = {
  maxSteps: {
    ...count,
    default: SETTINGS_DEFAULTS.limits.maxSteps,
    description: "Number of model answers.",
  },
  maxWorkMs: {
    ...count,
    default: SETTINGS_DEFAULTS.limits.maxWorkMs,
    description: "Working time of the model and the tools together, in milliseconds.",
  },
  maxTokens: {
    ...count,
    default: SETTINGS_DEFAULTS.limits.maxTokens,
    description: "Input and output tokens.",
  },
  maxRepeats: {
    ...count,
    default: SETTINGS_DEFAULTS.limits.maxRepeats,
    description: "Number of times in a row that the model may request the same calls.",
  },
} as const satisfies Record<keyof SettingsLimits, object>;

const properties = {
  model: {
    type: "string",
    minLength: 1,
    description: `The model that answers: offline, openai:NAME or the name of a Gemini model. Without this key it is ${DEFAULT_GEMINI_MODEL} if a Gemini key is set, else offline.`,
  },
  contextTokens: {
    ...count,
    default: SETTINGS_DEFAULTS.contextTokens,
    description: "Number of tokens that fit into one request, for models of unknown context size.",
  },
  modelSilenceMs: {
    ...count,
    maximum: 300_000,
    default: SETTINGS_DEFAULTS.modelSilenceMs,
    description:
      "Time without data from the model after which its answer is requested again, in milliseconds.",
  },
  mode: {
    enum: ["default", "auto-edit", "yolo", "plan"],
    default: SETTINGS_DEFAULTS.mode,
    description: "Permission mode: which actions the agent asks about.",
  },
  allowedTools: {
    ...names,
    description: "The only tools offered to the model. Without this key it gets all tools.",
  },
  excludedTools: {
    ...names,
    default: [],
    description: "Tools that are never offered to the model.",
  },
  mcpServers: mcpServersSchema,
  extensions: {
    type: "object",
    properties: {
      disabled: { ...names, default: [], description: "Names of extensions that are not used." },
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
    properties: limits,
    additionalProperties: false,
  },
} as const satisfies Record<keyof Settings, object>;

/** Returns the JSON Schema of the settings files, for editors and for our own check. */
export function settingsJsonSchema(): Readonly<Record<string, unknown>> {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "dt settings",
    description:
      "Settings of dt: .dt/config.yaml in a workspace, ~/.config/dt/config.yaml at home.",
    type: "object",
    properties,
    additionalProperties: false,
  };
}
