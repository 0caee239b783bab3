import type { GoogleGenAI } from "@google/genai";
import { checkReply, type ReplyEnd } from "../check-reply.js";
import type { Model, ModelRequest } from "../model.js";
import type { ModelPart } from "../model-part.js";
import { type RetryOptions, withRetries } from "../retry/with-retries.js";
import { openExchange, type ReplyOptions } from "../vendor/open-exchange.js";
import { fromGeminiChunk } from "./from-gemini-chunk.js";
import { findGeminiContextTokens } from "./gemini-context-tokens.js";
import { toGeminiRequest } from "./to-gemini-request.js";

/** Access to Gemini: with a key, or through Vertex AI with the credentials of the machine. */
export type GeminiAccess =
  | { readonly type: "key"; readonly apiKey: string; readonly baseUrl?: string }
  | {
      readonly type: "vertex";
      readonly project: string;
      readonly location: string;
      readonly baseUrl?: string;
    };

/** Options of {@link createGeminiModel}. */
export interface GeminiModelOptions {
  /** Name of the model, such as `gemini-2.5-pro`. */
  readonly model: string;
  readonly access: GeminiAccess;
  /** Number of tokens that fit into one request. Default: from the table of known models. */
  readonly contextTokens?: number;
  readonly retries?: RetryOptions;
  readonly replies?: ReplyOptions;
}

/** Creates a Gemini model. The SDK is loaded with the first request. */
export function createGeminiModel({
  model,
  access,
  contextTokens = findGeminiContextTokens(model),
  retries,
  replies,
}: GeminiModelOptions): Model {
  let client: Promise<GoogleGenAI> | undefined;
  const stream = (request: ModelRequest) => {
    client ??= loadClient(access);
    return checkReply(streamGemini(client, { model, access, replies, request }));
  };
  const sized = contextTokens === undefined ? {} : { contextTokens };
  return withRetries({ name: model, ...sized, stream }, retries);
}

interface GeminiCall extends Pick<GeminiModelOptions, "model" | "access"> {
  readonly replies: ReplyOptions | undefined;
  readonly request: ModelRequest;
}

async function* streamGemini(
  client: Promise<GoogleGenAI>,
  { model, access, replies, request }: GeminiCall,
): AsyncGenerator<readonly (ModelPart | ReplyEnd)[]> {
  const secrets = access.type === "key" ? [access.apiKey] : [];
  const exchange = openExchange({ ...replies, signal: request.signal, secrets });
  try {
    const { models } = await client;
    const asked = toGeminiRequest(model, request);
    await models.generateContentStream({
      ...asked,
      config: {
        ...asked.config,
        abortSignal: exchange.signal,
        httpOptions: { fetch: exchange.fetch },
      },
    });
    yield* exchange.events(fromGeminiChunk);
  } catch (reason) {
    throw exchange.explain(reason);
  } finally {
    exchange.close();
  }
}

async function loadClient(access: GeminiAccess): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await import("@google/genai");
  const { baseUrl } = access;
  if (access.type === "vertex") {
    const { project, location } = access;
    const httpOptions = baseUrl === undefined ? {} : { baseUrl };
    return new GoogleGenAI({ vertexai: true, project, location, httpOptions });
  }
  // Every option is set, because the SDK reads missing ones from the environment of the process.
  return new GoogleGenAI({
    vertexai: false,
    apiKey: access.apiKey,
    httpOptions: { baseUrl: baseUrl ?? "https://generativelanguage.googleapis.com/" },
  });
}
