import type { OpenAI } from "openai";
import { checkReply, type ReplyEnd } from "../check-reply.js";
import type { Model, ModelRequest } from "../model.js";
import type { ModelPart } from "../model-part.js";
import { type RetryOptions, withRetries } from "../retry/with-retries.js";
import { openExchange, type ReplyOptions } from "../vendor/open-exchange.js";
import { createOpenaiReader } from "./from-openai-chunk.js";
import { toOpenaiRequest } from "./to-openai-request.js";

/** Options of {@link createOpenaiModel}. */
export interface OpenaiModelOptions {
  /** Name of the model at the server, such as `qwen3`. */
  readonly model: string;
  /** Address that ends with `/v1`. Default: the address of OpenAI. */
  readonly baseUrl?: string;
  /** Key of the server; undefined if the server needs none. */
  readonly apiKey?: string;
  /** Number of tokens that fit into one request. The server does not report this number. */
  readonly contextTokens?: number;
  readonly retries?: RetryOptions;
  readonly replies?: ReplyOptions;
}

/** Creates a model of an OpenAI-compatible server. The SDK is loaded with the first request. */
export function createOpenaiModel(options: OpenaiModelOptions): Model {
  const { model, contextTokens, retries } = options;
  let client: Promise<OpenAI> | undefined;
  const stream = (request: ModelRequest) => {
    client ??= loadClient(options);
    return checkReply(streamOpenai(client, { options, request }));
  };
  const sized = contextTokens === undefined ? {} : { contextTokens };
  return withRetries({ name: `openai:${model}`, ...sized, stream }, retries);
}

async function* streamOpenai(
  client: Promise<OpenAI>,
  { options, request }: { options: OpenaiModelOptions; request: ModelRequest },
): AsyncGenerator<readonly (ModelPart | ReplyEnd)[]> {
  const secrets = options.apiKey === undefined ? [] : [options.apiKey];
  const exchange = openExchange({ ...options.replies, signal: request.signal, secrets });
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
    // Every option is set, because the SDK reads missing options from environment variables.
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
