import { ModelError } from "../model.js";
import { ModelFailure } from "../retry/model-failure.js";
import { field } from "./json-field.js";
import { findRetryAfterMs, fromRetryInfo } from "./retry-after.js";

const longestMessage = 500;

/** An answer that is no success, and the text of its body → why, in a sentence. */
export function toStatusFailure(response: Response, text: string): ModelFailure {
  const body = parseJson(text);
  const isPage = response.headers.get("content-type")?.includes("text/html") ?? false;
  return statusFailure(
    response.status,
    isPage ? undefined : (findMessage(body) ?? text),
    findRetryAfterMs(response.headers, body),
  );
}

/** An error that came within a stream, after a success had been promised. */
export function toStreamFailure(body: unknown): ModelFailure {
  const code = Number(field(field(body, "error"), "code"));
  const status = code >= 400 && code < 600 ? code : 500;
  return statusFailure(status, findMessage(body), fromRetryInfo(body));
}

/** A connection that could not be made, or broke. */
export function connectionFailure(reason: unknown, origin: string): ModelFailure {
  const code = findCode(reason);
  const detail = code === undefined ? "" : ` (${code})`;
  return new ModelFailure(`the connection to the model at ${origin} failed${detail}`, {
    isTransient: true,
    cause: reason,
  });
}

/** What an SDK threw while it read a stream. */
export function toReadFailure(reason: unknown, origin: string): ModelError {
  if (reason instanceof ModelError) return reason;
  if (isConnectionError(reason)) return connectionFailure(reason, origin);
  if (isUnreadable(reason)) {
    return new ModelFailure("the model's answer cannot be read", {
      isTransient: true,
      cause: reason,
    });
  }
  const message = reason instanceof Error ? reason.message : String(reason);
  return new ModelError(`the model could not be asked: ${message.slice(0, longestMessage)}`);
}

function statusFailure(
  status: number,
  message: string | undefined,
  retryAfterMs: number | undefined,
): ModelFailure {
  const detail = message?.replace(/\s+/g, " ").trim().slice(0, longestMessage) ?? "";
  return new ModelFailure(`the model answered ${status}${detail === "" ? "" : `: ${detail}`}`, {
    isTransient: status === 408 || status === 429 || status >= 500,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

// Google and OpenAI: {error: {message}}; Ollama: {error}; vLLM: {message}; FastAPI: {detail}.
function findMessage(body: unknown): string | undefined {
  const first = Array.isArray(body) ? body[0] : body;
  const error = field(first, "error");
  const candidates = [
    field(error, "message"),
    error,
    field(first, "message"),
    field(first, "detail"),
  ];
  return candidates.find((candidate) => typeof candidate === "string");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// An event that is no JSON, or JSON of a shape that an SDK did not expect.
function isUnreadable(reason: unknown): boolean {
  return reason instanceof SyntaxError || reason instanceof TypeError;
}

function isConnectionError(reason: unknown): boolean {
  return (
    (reason instanceof TypeError && reason.cause !== undefined) || findCode(reason) !== undefined
  );
}

// Node's word for what happened (ECONNRESET), however deep an SDK wrapped it.
function findCode(reason: unknown): string | undefined {
  for (let error = reason; error instanceof Error; error = error.cause) {
    const code = field(error, "code");
    if (typeof code === "string" && /^[A-Z][A-Z_]+$/.test(code)) return code;
  }
  return undefined;
}
