import { checkBaseUrl, isLocalUrl } from "./base-url.js";
import { createGeminiModel, type GeminiAccess } from "./gemini/create-gemini-model.js";
import { type Model, ModelError } from "./model.js";
import { createOfflineModel } from "./offline/create-offline-model.js";
import { createOpenaiModel } from "./openai/create-openai-model.js";
import type { AnswerOptions } from "./vendor/open-exchange.js";
import type { RetryOptions } from "./with-retries.js";

/** What a model is chosen by. */
export interface ModelOptions {
  /** `offline`, `openai:NAME` or the name of a Gemini model. Default: `DT_MODEL`, else what is set up. */
  readonly name?: string;
  /** The variables that keys and addresses are read from; the caller's `process.env`, for one. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How many tokens fit into one request, for models whose size we cannot know. */
  readonly contextTokens?: number;
  readonly retries?: RetryOptions;
  /** How long the model's endpoint may be silent. Default: two minutes. */
  readonly silenceMs?: number;
}

/** The variables that hold keys to models. */
export const modelKeys: readonly string[] = ["GEMINI_API_KEY", "OPENAI_API_KEY"];

const defaultGeminiModel = "gemini-2.5-pro";
const openaiPrefix = "openai:";
/** What fits into most of today's models; the setting `contextTokens` says otherwise. */
const OPENAI_CONTEXT_TOKENS = 32_768;

/**
 * The model that a name and an environment stand for.
 *
 * Without a name: Gemini where its access is set up, else `offline`. Throws {@link ModelError} where a
 * name is given without what it needs. Nothing is loaded or asked before the first request.
 */
export function createModel(options: ModelOptions): Model {
  const { environment } = options;
  const name = options.name?.trim() || environment.DT_MODEL?.trim();
  if (name === "offline") return createOfflineModel();
  if (name?.startsWith(openaiPrefix)) {
    return openaiModel(name.slice(openaiPrefix.length), options);
  }
  const access = findGeminiAccess(environment);
  if (access !== undefined) return geminiModel(name || defaultGeminiModel, access, options);
  if (!name) return createOfflineModel();
  throw new ModelError(
    `the model ${name} needs GEMINI_API_KEY; for an OpenAI-compatible server say openai:NAME, or offline to go without`,
  );
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
  variable: string,
): { readonly baseUrl?: string } {
  const value = environment[variable]?.trim();
  return value ? { baseUrl: checkBaseUrl(value, variable) } : {};
}
