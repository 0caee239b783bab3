import { SETTINGS_DEFAULTS } from "./settings-defaults.js";

/** Settings of one other agent that the agent may call. */
export interface CalledAgentSettings {
  readonly url: string;
  /** Secret that is sent to the origin of `url` only. */
  readonly token?: string;
  /** File with the token. */
  readonly tokenFile?: string;
  /** Text that tells the model when to call the agent. */
  readonly description?: string;
  /** Directory in which the agent works, on its own machine. Default: the workspace of the session. */
  readonly workspacePath?: string;
  /** Longest silence of the agent during one call. Default: ten minutes. */
  readonly timeoutMs?: number;
}

/** The JSON Schema of called agents by name. */
export const CALLED_AGENTS_SCHEMA = {
  type: "object",
  description: "Other agents by name, which the agent can call with the tool call_agent.",
  propertyNames: { pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$" },
  additionalProperties: {
    type: "object",
    description: "One agent that speaks A2A.",
    properties: {
      url: {
        type: "string",
        pattern: "^https?://",
        description: "The address of the agent.",
      },
      token: {
        type: "string",
        description: `The token of the agent, which is sent to no other host. Write \`\${NAME}\` for a variable.`,
      },
      tokenFile: {
        type: "string",
        minLength: 1,
        description: "Absolute path of a file with the token, if `token` is not set.",
      },
      description: {
        type: "string",
        minLength: 1,
        maxLength: 1_000,
        description: "What the agent is good at. The model reads it.",
      },
      workspacePath: {
        type: "string",
        minLength: 1,
        description:
          "Directory in which the agent works, on its own machine. Without this key, it is the path of the workspace. This path is not sent to a plain A2A agent.",
      },
      timeoutMs: {
        type: "integer",
        minimum: 1,
        maximum: 86_400_000,
        default: SETTINGS_DEFAULTS.calledAgentTimeoutMs,
        description:
          "Longest silence of the agent during one call, in milliseconds. Open questions do not count.",
      },
    },
    required: ["url"],
    additionalProperties: false,
  },
} as const;
