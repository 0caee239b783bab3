import { checkBaseUrl, isLocalUrl } from "./base-url.js";
import { createGeminiModel, type GeminiAccess } from "./gemini/create-gemini-model.js";
import { type Model, ModelError, type Thinking } from "./model.js";
import { MODEL_VARIABLES, type ModelEnvironment, type ModelVariable } from "./model-variables.js";
import { createOfflineModel } from "./offline/create-offline-model.js";
import { createOpenaiModel } from "./openai/create-openai-model.js";
import type { RetryOptions } from "./retry/with-retries.js";
import type { ReplyOptions } from "./vendor/open-exchange.js";

/** Options of {@link createModel}. */
export interface ModelOptions {
  /** `offline`, `openai:NAME` or the name of a Gemini model. Default: `DT_MODEL`, else Gemini or `offline`. */
  readonly name?: string;
  /** Variables with keys and base URLs, such as `process.env` of the app. */
  readonly environment: ModelEnvironment;
  /**
   * True to throw an error instead of using `offline` if no name and no access to Gemini is set. Default:
   * false.
   */
  readonly isRequired?: boolean;
  /** Number of tokens that fit into one request. Default: from a table for Gemini, 32,768 for `openai:`. */
  readonly contextTokens?: number;
  readonly retries?: RetryOptions;
  /** Longest time without data from the model's endpoint. Default: two minutes. */
  readonly silenceMs?: number;
  /** Thinking of Gemini models. Default: on. */
  readonly thinking?: Thinking;
}

/** Names of the variables that contain keys of models. */
export const MODEL_KEYS: readonly string[] = Object.entries(MODEL_VARIABLES).flatMap(
  ([name, info]) => ("hasFile" in info ? [name] : []),
);

/** Default model if no name is set, and a Gemini key or Vertex AI is configured. */
export const DEFAULT_GEMINI_MODEL = "gemini-2.5-pro";
const OPENAI_PREFIX = "openai:";
/** Names of models that only OpenAI-compatible servers have, with or without a prefix such as `openai/`. */
const OPENAI_NAME =
  /^(?:openai[:/]|(?:[\w.-]+\/)?(?:gpt|chatgpt|codex|o\d|claude|llama|qwen|mistral|mixtral|deepseek|grok|phi|kimi|glm)(?![a-z]))/i;
/** Default context size of `openai:` models in tokens. Most current models support at least this size. */
export const OPENAI_CONTEXT_TOKENS = 32_768;

/**
 * Creates the model that a name and an environment select.
 *
 * Without a name and `DT_MODEL`, the model is Gemini if its key or Vertex AI is set, else `offline`. Throws
 * {@link ModelError} if the model cannot be used, for example because its key is missing, or if `isRequired`
 * is true and only `offline` is left to choose. No SDK is loaded before the first request.
 */
export function createModel(options: ModelOptions): Model {
  const { environment } = options;
  const name = options.name?.trim() || environment.DT_MODEL?.trim();
  if (name === "offline") return createOfflineModel();
  if (name?.startsWith(OPENAI_PREFIX)) {
    return openaiModel(name.slice(OPENAI_PREFIX.length), options);
  }
  if (name !== undefined && OPENAI_NAME.test(name)) {
    throw new ModelError(`${name} is not a Gemini model; write ${toOpenaiName(name)}`);
  }
  const access = findGeminiAccess(environment);
  if (access !== undefined) return geminiModel(name || DEFAULT_GEMINI_MODEL, access, options);
  if (!name && options.isRequired !== true) return createOfflineModel();
  throw new ModelError(name ? describeMissingKey(name) : describeMissingModel(environment));
}

function toOpenaiName(name: string): string {
  return `${OPENAI_PREFIX}${name.replace(/^openai[:/]/i, "")}`;
}

function describeMissingKey(name: string): string {
  const hint = `to use it from an OpenAI-compatible server, write ${toOpenaiName(name)}; `;
  return `the model ${name} needs GEMINI_API_KEY or GEMINI_API_KEY_FILE; ${name.startsWith("gemini-") ? "" : hint}offline needs no key`;
}

function describeMissingModel(environment: ModelOptions["environment"]): string {
  if (environment.OPENAI_API_KEY?.trim()) {
    return "no model is chosen: OPENAI_API_KEY also needs the name of a model, such as --model openai:gpt-5";
  }
  return "no model can answer: set GEMINI_API_KEY or GEMINI_API_KEY_FILE; or set OPENAI_API_KEY or OPENAI_API_KEY_FILE and add --model openai:NAME; or add --model offline to work without a model";
}

function geminiModel(model: string, access: GeminiAccess, options: ModelOptions): Model {
  const { contextTokens, retries, thinking } = options;
  return createGeminiModel({
    model,
    access,
    ...(thinking !== undefined && { thinking }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(retries !== undefined && { retries }),
    ...replyOptionsOf(options),
  });
}

function replyOptionsOf({ silenceMs }: ModelOptions): { readonly replies?: ReplyOptions } {
  return silenceMs === undefined ? {} : { replies: { limits: { silenceMs } } };
}

function findGeminiAccess(environment: ModelOptions["environment"]): GeminiAccess | undefined {
  if (environment.GOOGLE_GENAI_USE_VERTEXAI?.toLowerCase() === "true") {
    const project = environment.GOOGLE_CLOUD_PROJECT;
    if (!project) throw new ModelError("GOOGLE_GENAI_USE_VERTEXAI needs GOOGLE_CLOUD_PROJECT");
    const location = environment.GOOGLE_CLOUD_LOCATION || "global";
    return {
      type: "vertex",
      project,
      location,
      ...baseUrlOf(environment, "GOOGLE_VERTEX_BASE_URL"),
    };
  }
  const apiKey = environment.GEMINI_API_KEY?.trim();
  if (!apiKey) return undefined;
  return { type: "key", apiKey, ...baseUrlOf(environment, "GOOGLE_GEMINI_BASE_URL") };
}

function openaiModel(model: string, options: ModelOptions): Model {
  const { environment, contextTokens = OPENAI_CONTEXT_TOKENS, retries } = options;
  if (model === "") throw new ModelError("openai: needs the name of a model, such as openai:qwen3");
  const address = baseUrlOf(environment, "OPENAI_BASE_URL");
  const apiKey = environment.OPENAI_API_KEY?.trim();
  if (!apiKey && (address.baseUrl === undefined || !isLocalUrl(address.baseUrl))) {
    throw new ModelError(
      `the model openai:${model} needs OPENAI_API_KEY, or OPENAI_BASE_URL of a local server`,
    );
  }
  return createOpenaiModel({
    model,
    ...address,
    ...(apiKey && { apiKey }),
    contextTokens,
    ...(retries !== undefined && { retries }),
    ...replyOptionsOf(options),
  });
}

function baseUrlOf(
  environment: ModelOptions["environment"],
  variable: ModelVariable,
): { readonly baseUrl?: string } {
  const value = environment[variable]?.trim();
  return value ? { baseUrl: checkBaseUrl(value, variable) } : {};
}
