import type { GoogleGenAI } from "@google/genai";
import { type AnswerEnd, judgeAnswer } from "../check-answer.js";
import type { Model, ModelRequest } from "../model.js";
import type { ModelPart } from "../model-part.js";
import { type RetryOptions, withRetries } from "../retry/with-retries.js";
import { type AnswerOptions, openExchange } from "../vendor/open-exchange.js";
import { fromGeminiChunk } from "./from-gemini-chunk.js";
import { findGeminiContextTokens } from "./gemini-context-tokens.js";
import { toGeminiRequest } from "./to-gemini-request.js";

/** How to reach Gemini: with a key, or through Vertex AI with the machine's own credentials. */
export type GeminiAccess =
  | { readonly type: "key"; readonly apiKey: string; readonly baseUrl?: string }
  | {
      readonly type: "vertex";
      readonly project: string;
      readonly location: string;
      readonly baseUrl?: string;
    };

/** What a Gemini model is made of. */
export interface GeminiModelOptions {
  /** The model's name, such as `gemini-2.5-pro`. */
  readonly model: string;
  readonly access: GeminiAccess;
  /** How many tokens fit into one request, where our own table is wrong or silent. */
  readonly contextTokens?: number;
  readonly retries?: RetryOptions;
  readonly answers?: AnswerOptions;
}

/** A Gemini model. The vendor's SDK is loaded with the first request. */
export function createGeminiModel({
  model,
  access,
  contextTokens = findGeminiContextTokens(model),
  retries,
  answers,
}: GeminiModelOptions): Model {
  let client: Promise<GoogleGenAI> | undefined;
  const stream = (request: ModelRequest) => {
    client ??= loadClient(access);
    return judgeAnswer(streamGemini(client, { model, access, answers, request }));
  };
  const sized = contextTokens === undefined ? {} : { contextTokens };
  return withRetries({ name: model, ...sized, stream }, retries);
}

interface GeminiCall extends Pick<GeminiModelOptions, "model" | "access"> {
  readonly answers: AnswerOptions | undefined;
  readonly request: ModelRequest;
}

async function* streamGemini(
  client: Promise<GoogleGenAI>,
  { model, access, answers, request }: GeminiCall,
): AsyncGenerator<readonly (ModelPart | AnswerEnd)[]> {
  const secrets = access.type === "key" ? [access.apiKey] : [];
  const exchange = openExchange({ ...answers, signal: request.signal, secrets });
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
  // All is said outright: what is left out, the SDK would look up in the process's environment.
  return new GoogleGenAI({
    vertexai: false,
    apiKey: access.apiKey,
    httpOptions: { baseUrl: baseUrl ?? "https://generativelanguage.googleapis.com/" },
  });
}
