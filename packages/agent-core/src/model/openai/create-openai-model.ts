import type { OpenAI } from "openai";
import { type AnswerEnd, judgeAnswer } from "../check-answer.js";
import type { Model, ModelRequest } from "../model.js";
import type { ModelPart } from "../model-part.js";
import { type RetryOptions, withRetries } from "../retry/with-retries.js";
import { type AnswerOptions, openExchange } from "../vendor/open-exchange.js";
import { createOpenaiReader } from "./from-openai-chunk.js";
import { toOpenaiRequest } from "./to-openai-request.js";

/** What a model of an OpenAI-compatible server is made of. */
export interface OpenaiModelOptions {
  /** The model's name at the server, such as `qwen3`. */
  readonly model: string;
  /** Up to and with `/v1`. Default: OpenAI itself. */
  readonly baseUrl?: string;
  /** Absent where the server wants none. */
  readonly apiKey?: string;
  /** How many tokens fit into one request; only the server's owner knows. */
  readonly contextTokens?: number;
  readonly retries?: RetryOptions;
  readonly answers?: AnswerOptions;
}

/** A model of an OpenAI-compatible server. The SDK is loaded with the first request. */
export function createOpenaiModel(options: OpenaiModelOptions): Model {
  const { model, contextTokens, retries } = options;
  let client: Promise<OpenAI> | undefined;
  const stream = (request: ModelRequest) => {
    client ??= loadClient(options);
    return judgeAnswer(streamOpenai(client, { options, request }));
  };
  const sized = contextTokens === undefined ? {} : { contextTokens };
  return withRetries({ name: `openai:${model}`, ...sized, stream }, retries);
}

async function* streamOpenai(
  client: Promise<OpenAI>,
  { options, request }: { options: OpenaiModelOptions; request: ModelRequest },
): AsyncGenerator<readonly (ModelPart | AnswerEnd)[]> {
  const secrets = options.apiKey === undefined ? [] : [options.apiKey];
  const exchange = openExchange({ ...options.answers, signal: request.signal, secrets });
  const reader = createOpenaiReader();
  try {
    const { chat } = (await client).withOptions({ fetch: exchange.fetch });
    const { signal } = exchange;
    await chat.completions.create(toOpenaiRequest(options.model, request), { signal });
    yield* exchange.events(reader.read);
    yield reader.end();
  } catch (reason) {
    throw exchange.explain(reason);
  } finally {
    exchange.close();
  }
}

async function loadClient({ baseUrl, apiKey }: OpenaiModelOptions): Promise<OpenAI> {
  const { OpenAI } = await import("openai");
  return new OpenAI({
    // All is said outright: what is left out, the SDK would look up in the process's environment.
    baseURL: baseUrl ?? "https://api.openai.com/v1",
    apiKey: apiKey ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: "off",
    ...(apiKey === undefined && { defaultHeaders: { Authorization: null } }),
  });
}
