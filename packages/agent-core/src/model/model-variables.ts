/** Documentation of one environment variable. */
export interface VariableInfo {
  /** Type of the value, as the documentation shows it. */
  readonly type: string;
  /** Value that is used if the variable is not set, as the documentation shows it. */
  readonly default: string;
  readonly effect: string;
  /** True if `NAME_FILE` may name a file that contains the value. */
  readonly hasFile?: boolean;
}

/** The variables that give access to models. {@link ModelEnvironment} has these and `DT_MODEL`. */
export const MODEL_VARIABLES = {
  GEMINI_API_KEY: {
    type: "secret",
    default: "none",
    effect: "Key of the Gemini API. With a key the default model is a Gemini model.",
    hasFile: true,
  },
  GOOGLE_GEMINI_BASE_URL: {
    type: "URL",
    default: "the Gemini API of Google",
    effect: "Address of the Gemini API.",
  },
  GOOGLE_GENAI_USE_VERTEXAI: {
    type: "true or false",
    default: "false",
    effect: "Uses Gemini through Vertex AI instead of an API key.",
  },
  GOOGLE_CLOUD_PROJECT: {
    type: "text",
    default: "none",
    effect:
      "Google Cloud project of Vertex AI (required with GOOGLE_GENAI_USE_VERTEXAI), and of dt-server's bucket.",
  },
  GOOGLE_CLOUD_LOCATION: {
    type: "text",
    default: "global",
    effect: "Google Cloud location of Vertex AI.",
  },
  GOOGLE_VERTEX_BASE_URL: {
    type: "URL",
    default: "Vertex AI of Google",
    effect: "Address of Vertex AI.",
  },
  OPENAI_API_KEY: {
    type: "secret",
    default: "none",
    effect: "Key for models whose name begins with openai:. A local server needs none.",
    hasFile: true,
  },
  OPENAI_BASE_URL: {
    type: "URL",
    default: "the API of OpenAI",
    effect: "Address of an OpenAI-compatible server.",
  },
} as const satisfies Record<string, VariableInfo>;

/** Name of a variable that gives access to models. */
export type ModelVariable = keyof typeof MODEL_VARIABLES;

/** The environment variables that `createModel` reads. Code that reads any other variable does not compile. */
export type ModelEnvironment = {
  readonly [Name in ModelVariable | "DT_MODEL"]?: string | undefined;
};
