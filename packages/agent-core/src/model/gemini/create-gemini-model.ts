import type { GenerateContentParameters, GoogleGenAI } from "@google/genai";
import { checkReply, type ReplyEnd } from "../check-reply.js";
import type { Model, ModelRequest, Thinking } from "../model.js";
import type { ModelPart } from "../model-part.js";
import { type RetryOptions, withRetries } from "../retry/with-retries.js";
import { type Exchange, openExchange, type ReplyOptions } from "../vendor/open-exchange.js";
import { fromGeminiChunk } from "./from-gemini-chunk.js";
import { findGeminiContextTokens, findGeminiOutputTokens } from "./gemini-context-tokens.js";
import { toGeminiBody, toGeminiRequest } from "./to-gemini-request.js";

/** Access to Gemini: with a key, or through Vertex AI with the credentials of the machine. */
export type GeminiAccess = KeyAccess | VertexAccess;

interface KeyAccess {
  readonly type: "key";
  readonly apiKey: string;
  readonly baseUrl?: string;
}

interface VertexAccess {
  readonly type: "vertex";
  readonly project: string;
  readonly location: string;
  readonly baseUrl?: string;
}

const DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com";

/** Options of {@link createGeminiModel}. */
export interface GeminiModelOptions {
  /** Name of the model, such as `gemini-2.5-pro`. */
  readonly model: string;
  readonly access: GeminiAccess;
  /** Number of tokens that fit into one request. Default: from the table of known models. */
  readonly contextTokens?: number;
  /** Default: on. */
  readonly thinking?: Thinking;
  readonly retries?: RetryOptions;
  readonly replies?: ReplyOptions;
}

/** Creates a Gemini model. */
export function createGeminiModel({
  model,
  access,
  contextTokens = findGeminiContextTokens(model),
  thinking,
  retries,
  replies,
}: GeminiModelOptions): Model {
  const send = access.type === "key" ? createKeySender(access) : createVertexSender(access);
  const secrets = access.type === "key" ? [access.apiKey] : [];
  const stream = (request: ModelRequest) =>
    checkReply(streamGemini({ model, thinking, request, replies, secrets }, send));
  const sized = {
    ...(contextTokens !== undefined && { contextTokens }),
    outputTokens: findGeminiOutputTokens(model),
  };
  return withRetries({ name: model, ...sized, stream }, retries);
}

interface GeminiCall extends Pick<GeminiModelOptions, "model"> {
  readonly thinking: Thinking | undefined;
  readonly request: ModelRequest;
  readonly replies: ReplyOptions | undefined;
  readonly secrets: readonly string[];
}

/** Builds an HTTP request and sends it through the exchange, which then reads the reply. */
type GeminiSender = (parameters: GenerateContentParameters, exchange: Exchange) => Promise<unknown>;

async function* streamGemini(
  { model, thinking, request, replies, secrets }: GeminiCall,
  send: GeminiSender,
): AsyncGenerator<readonly (ModelPart | ReplyEnd)[]> {
  const exchange = openExchange({ ...replies, signal: request.signal, secrets });
  try {
    await send(toGeminiRequest(model, request, thinking), exchange);
    yield* exchange.events(fromGeminiChunk);
  } catch (reason) {
    throw exchange.explain(reason);
  } finally {
    exchange.close();
  }
}

/** Sends requests to the REST interface, because the SDK converts a history more slowly than dt does. */
function createKeySender({ apiKey, baseUrl = DEFAULT_BASE_URL }: KeyAccess): GeminiSender {
  const root = baseUrl.endsWith("/") ? baseUrl.slice(0, -1) : baseUrl;
  const headers = { "x-goog-api-key": apiKey, "user-agent": "dt" };
  return async (parameters, exchange) => {
    const name = parameters.model.split("/").map(encodeURIComponent).join("/");
    const path = name.includes("/") ? name : `models/${name}`;
    const url = `${root}/v1beta/${path}:streamGenerateContent?alt=sse`;
    await exchange.post(url, headers, JSON.stringify(toGeminiBody(parameters)));
  };
}

/** Sends requests through the SDK, because it finds and renews the credentials of the machine. */
function createVertexSender(access: VertexAccess): GeminiSender {
  let client: Promise<GoogleGenAI> | undefined;
  return async (parameters, { fetch, signal }) => {
    client ??= loadClient(access);
    const { models } = await client;
    const config = { ...parameters.config, abortSignal: signal, httpOptions: { fetch } };
    await models.generateContentStream({ ...parameters, config });
  };
}

async function loadClient({ project, location, baseUrl }: VertexAccess): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await import("@google/genai");
  const httpOptions = baseUrl === undefined ? {} : { baseUrl };
  return new GoogleGenAI({ vertexai: true, project, location, httpOptions });
}
