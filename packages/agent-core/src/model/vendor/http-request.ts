import http from "node:http";
import https from "node:https";

/** A request to a vendor. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** The response to a request. Its body can be read only once. */
export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: http.IncomingMessage;
}

// Idle connections are closed after this time. If the vendor closed one first, the next request on it would
// have to be sent again.
const IDLE_MS = 4_000;
const AGENT_OPTIONS = { keepAlive: true, timeout: IDLE_MS };
const agents = {
  "http:": new http.Agent(AGENT_OPTIONS),
  "https:": new https.Agent(AGENT_OPTIONS),
};

/**
 * Sends a request and resolves with its response. Node's `http` module sends it, because `fetch` takes
 * several times the CPU time for each chunk of a stream.
 */
export async function sendRequest(url: URL, request: HttpRequest): Promise<HttpResponse> {
  try {
    return await sendOnce(url, request);
  } catch (reason) {
    if (!(reason instanceof ReusedConnectionError)) throw reason;
    // Most likely the vendor closed the idle connection just before its reuse, and has not read the request.
    return await sendOnce(url, request);
  }
}

/** Thrown if a reused connection breaks before any byte of the response has arrived. */
class ReusedConnectionError extends Error {
  override readonly name = "ReusedConnectionError";
}

function sendOnce(url: URL, { method, headers, body, signal }: HttpRequest): Promise<HttpResponse> {
  const isSecure = url.protocol === "https:";
  const agent = isSecure ? agents["https:"] : agents["http:"];
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const sent = (isSecure ? https : http).request(url, {
      method,
      agent,
      signal,
      headers: { ...headers, "content-length": bytes.length },
    });
    sent.on("response", (message) => resolve(toResponse(message)));
    sent.on("error", (cause) => {
      const isStale = sent.reusedSocket && findCode(cause) === "ECONNRESET" && !signal.aborted;
      reject(isStale ? new ReusedConnectionError("the connection was idle", { cause }) : cause);
    });
    sent.end(bytes);
  });
}

function toResponse(body: http.IncomingMessage): HttpResponse {
  return {
    status: body.statusCode ?? 0,
    statusText: body.statusMessage ?? "",
    get headers() {
      const { headers } = body;
      const list = Object.entries(headers).map(([name, value]): [string, string] => {
        return [name, Array.isArray(value) ? value.join(", ") : (value ?? "")];
      });
      return new Headers(list);
    },
    body,
  };
}

function findCode(error: Error): unknown {
  return "code" in error ? error.code : undefined;
}
