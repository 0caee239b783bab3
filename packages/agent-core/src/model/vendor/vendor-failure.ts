import { ModelError } from "../model.js";
import { ModelFailure } from "../retry/model-failure.js";
import { findProperty } from "./find-property.js";
import { findRetryAfterMs, fromRetryInfo } from "./retry-after.js";

const MAX_MESSAGE_LENGTH = 500;

/** Converts an error response to a failure. `text` is the body of the response. */
export function toStatusFailure(
  response: Pick<Response, "status" | "headers">,
  text: string,
): ModelFailure {
  const body = parseJson(text);
  const isPage = response.headers.get("content-type")?.includes("text/html") ?? false;
  return statusFailure(
    response.status,
    isPage ? undefined : (findMessage(body) ?? text),
    findRetryAfterMs(response.headers, body),
  );
}

/** Converts an error that arrives inside a stream, after the status was already 200. */
export function toStreamFailure(body: unknown): ModelFailure {
  const code = Number(findProperty(findProperty(body, "error"), "code"));
  const status = code >= 400 && code < 600 ? code : 500;
  return statusFailure(status, findMessage(body), fromRetryInfo(body));
}

/** Builds the failure for a connection that failed or broke off. */
export function connectionFailure(reason: unknown, origin: string): ModelFailure {
  const code = findCode(reason);
  const detail = code === undefined ? "" : ` (${code})`;
  return new ModelFailure(`the connection to the model at ${origin} failed${detail}`, {
    isTransient: true,
    cause: reason,
  });
}

/** Converts an error that was thrown while a request was sent or its reply was read. */
export function toReadFailure(reason: unknown, origin: string): ModelError {
  if (reason instanceof ModelError) return reason;
  if (isConnectionError(reason)) return connectionFailure(reason, origin);
  if (isUnreadable(reason)) {
    return new ModelFailure("the model's reply cannot be read", {
      isTransient: true,
      cause: reason,
    });
  }
  const message = reason instanceof Error ? reason.message : String(reason);
  return new ModelError(`the request to the model failed: ${message.slice(0, MAX_MESSAGE_LENGTH)}`);
}

function statusFailure(
  status: number,
  message: string | undefined,
  retryAfterMs: number | undefined,
): ModelFailure {
  const detail = message?.replace(/\s+/g, " ").trim().slice(0, MAX_MESSAGE_LENGTH) ?? "";
  return new ModelFailure(`the model answered ${status}${detail === "" ? "" : `: ${detail}`}`, {
    isTransient: status === 408 || status === 429 || status >= 500,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

// Finds the message of an error. Google and OpenAI send {error: {message}}, Ollama {error}, vLLM {message},
// and FastAPI {detail}.
function findMessage(body: unknown): string | undefined {
  const first = Array.isArray(body) ? body[0] : body;
  const error = findProperty(first, "error");
  const candidates = [
    findProperty(error, "message"),
    error,
    findProperty(first, "message"),
    findProperty(first, "detail"),
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

// Returns true if the error means that an event is not JSON, or is JSON of an unexpected shape.
function isUnreadable(reason: unknown): boolean {
  return reason instanceof SyntaxError || reason instanceof TypeError;
}

function isConnectionError(reason: unknown): boolean {
  return (
    (reason instanceof TypeError && reason.cause !== undefined) || findCode(reason) !== undefined
  );
}

// Finds Node's error code, such as ECONNRESET, in an error or its causes.
function findCode(reason: unknown): string | undefined {
  for (let error = reason; error instanceof Error; error = error.cause) {
    const code = findProperty(error, "code");
    if (typeof code === "string" && /^[A-Z][A-Z_]+$/.test(code)) return code;
  }
  return undefined;
}
