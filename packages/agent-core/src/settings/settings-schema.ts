import { mcpServersSchema } from "./servers/mcp-server-settings.js";
import type { Settings, SettingsLimits } from "./settings.js";

const names = { type: "array", items: { type: "string", minLength: 1 } } as const;

const count = { type: "integer", minimum: 1 } as const;

// `satisfies` keeps the schema and the type at the same keys.
const limits = {
  maxSteps: { ...count, description: "Answers of the model." },
  maxWorkMs: {
    ...count,
    description: "Time that the model and the tools may take together, in milliseconds.",
  },
  maxTokens: { ...count, description: "Tokens in and out." },
  maxRepeats: {
    ...count,
    description: "How often the model may ask for the very same calls in a row.",
  },
} as const satisfies Record<keyof SettingsLimits, object>;

const properties = {
  model: {
    type: "string",
    minLength: 1,
    description: "The model that answers: offline, openai:NAME or the name of a Gemini model.",
  },
  contextTokens: {
    ...count,
    description: "How many tokens fit into one request, for models whose size is not known.",
  },
  modelSilenceMs: {
    ...count,
    maximum: 300_000,
    description:
      "How long a model may send nothing before its answer is asked for again, in milliseconds. Default: 120000.",
  },
  mode: {
    enum: ["default", "auto-edit", "yolo", "plan"],
    description: "How freely the agent may act before it asks.",
  },
  allowedTools: {
    ...names,
    description: "The only tools offered to the model. Absent: all of them.",
  },
  excludedTools: { ...names, description: "Tools that are never offered to the model." },
  mcpServers: mcpServersSchema,
  extensions: {
    type: "object",
    properties: { disabled: { ...names, description: "Extensions that are not used, by name." } },
    additionalProperties: false,
  },
  context: {
    type: "object",
    properties: {
      fileNames: {
        type: "array",
        items: { type: "string", pattern: "^[^/\\\\]+$" },
        description: "The files that become context. Default: AGENTS.md and GEMINI.md.",
      },
    },
    additionalProperties: false,
  },
  limits: {
    type: "object",
    description: "How far one turn may go.",
    properties: limits,
    additionalProperties: false,
  },
} as const satisfies Record<keyof Settings, object>;

/** The JSON Schema of the settings files, for editors and for our own check. */
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
