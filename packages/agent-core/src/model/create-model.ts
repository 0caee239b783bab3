import { checkBaseUrl, isLocalUrl } from "./base-url.js";
import { createGeminiModel, type GeminiAccess } from "./gemini/create-gemini-model.js";
import { type Model, ModelError } from "./model.js";
import { MODEL_VARIABLES, type ModelEnvironment, type ModelVariable } from "./model-variables.js";
import { createOfflineModel } from "./offline/create-offline-model.js";
import { createOpenaiModel } from "./openai/create-openai-model.js";
import type { RetryOptions } from "./retry/with-retries.js";
import type { AnswerOptions } from "./vendor/open-exchange.js";

/** What a model is chosen by. */
export interface ModelOptions {
  /** `offline`, `openai:NAME` or the name of a Gemini model. Default: `DT_MODEL`, else what is set up. */
  readonly name?: string;
  /** The variables that keys and addresses are read from; the caller's `process.env`, for one. */
  readonly environment: ModelEnvironment;
  /** Throws without a name and without a key, instead of falling back to `offline`. Default: false. */
  readonly isRequired?: boolean;
  /** How many tokens fit into one request, for models whose size we cannot know. */
  readonly contextTokens?: number;
  readonly retries?: RetryOptions;
  /** How long the model's endpoint may be silent. Default: two minutes. */
  readonly silenceMs?: number;
}

/** The variables that hold keys to models. */
export const modelKeys: readonly string[] = Object.entries(MODEL_VARIABLES).flatMap(
  ([name, info]) => ("hasFile" in info ? [name] : []),
);

/** The model that answers if a Gemini key is set and no model is chosen. */
export const DEFAULT_GEMINI_MODEL = "gemini-2.5-pro";
const openaiPrefix = "openai:";
/** Names of models that only OpenAI-compatible servers offer, with or without a vendor before a slash. */
const OPENAI_NAME =
  /^(?:openai[:/]|(?:[\w.-]+\/)?(?:gpt|chatgpt|codex|o\d|claude|llama|qwen|mistral|mixtral|deepseek|grok|phi|kimi|glm)(?![a-z]))/i;
/** What fits into most of today's models; the setting `contextTokens` says otherwise. */
export const OPENAI_CONTEXT_TOKENS = 32_768;

/**
 * The model that a name and an environment stand for.
 *
 * Without a name: Gemini if its access is set up, else `offline`. Throws {@link ModelError} if a name is
 * given without what it needs. Nothing is loaded or asked before the first request.
 */
export function createModel(options: ModelOptions): Model {
  const { environment } = options;
  const name = options.name?.trim() || environment.DT_MODEL?.trim();
  if (name === "offline") return createOfflineModel();
  if (name?.startsWith(openaiPrefix)) {
    return openaiModel(name.slice(openaiPrefix.length), options);
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
  return `${openaiPrefix}${name.replace(/^openai[:/]/i, "")}`;
}

function describeMissingKey(name: string): string {
  const elsewhere = `to ask an OpenAI-compatible server for it, write ${toOpenaiName(name)}; `;
  return `the model ${name} needs GEMINI_API_KEY or GEMINI_API_KEY_FILE; ${name.startsWith("gemini-") ? "" : elsewhere}offline needs no key`;
}

function describeMissingModel(environment: ModelOptions["environment"]): string {
  if (environment.OPENAI_API_KEY?.trim()) {
    return "no model is chosen: OPENAI_API_KEY needs a model's name too, such as --model openai:gpt-5";
  }
  return "no model can answer: set GEMINI_API_KEY or GEMINI_API_KEY_FILE; or set OPENAI_API_KEY or OPENAI_API_KEY_FILE and add --model openai:NAME; or add --model offline to go without";
}

function geminiModel(model: string, access: GeminiAccess, options: ModelOptions): Model {
  const { contextTokens, retries } = options;
  return createGeminiModel({
    model,
    access,
    ...(contextTokens !== undefined && { contextTokens }),
    ...(retries !== undefined && { retries }),
    ...answersOf(options),
  });
}

function answersOf({ silenceMs }: ModelOptions): { readonly answers?: AnswerOptions } {
  return silenceMs === undefined ? {} : { answers: { limits: { silenceMs } } };
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
    ...answersOf(options),
  });
}

function baseUrlOf(
  environment: ModelOptions["environment"],
  variable: ModelVariable,
): { readonly baseUrl?: string } {
  const value = environment[variable]?.trim();
  return value ? { baseUrl: checkBaseUrl(value, variable) } : {};
}
