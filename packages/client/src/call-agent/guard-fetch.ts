import { TransportError } from "../errors/transport-error.js";

/** Limits of the requests of one call. */
export interface FetchGuard {
  /** The only origin that is requested. */
  readonly origin: string;
  /** Maximum size of all responses together. */
  readonly maxBytes: number;
  /** Called with the error when a limit is exceeded. The callback must end all requests of the call. */
  readonly stop: (reason: TransportError) => void;
}

const MAX_REDIRECTS = 5;

/** Statuses of a redirect that keeps the method and the body. */
const KEEPS_METHOD = [307, 308];

/** Statuses of a redirect that may change a POST into a GET. */
const CHANGES_METHOD = [301, 302, 303];

/**
 * Creates a fetch that follows redirects on one origin only, so that no other host gets the token, and that
 * limits the size of all responses together.
 */
export function createAgentFetch(guard: FetchGuard): typeof globalThis.fetch {
  let receivedBytes = 0;

  function refuse(message: string): never {
    const reason = new TransportError("refused", message);
    guard.stop(reason);
    throw reason;
  }

  function count(chunk: Uint8Array): void {
    receivedBytes += chunk.byteLength;
    if (receivedBytes > guard.maxBytes) refuse(`it sent more than ${guard.maxBytes} bytes`);
  }

  return async (input, init) => {
    let url = new URL(String(input));
    for (let redirects = 0; ; redirects += 1) {
      if (url.origin !== guard.origin) {
        refuse(
          `${url.origin} is another host than ${guard.origin}, which the settings name; if both are the same agent, change its url in the settings`,
        );
      }
      const response = await globalThis.fetch(url, { ...init, redirect: "manual" });
      const location = findRedirect(response, init?.method);
      if (location === undefined) return limitBody(response, count);
      await response.body?.cancel();
      if (redirects >= MAX_REDIRECTS) refuse(`it redirected more than ${MAX_REDIRECTS} times`);
      url = new URL(location, url);
    }
  };
}

/** Returns the target of a redirect that keeps the method and the body; undefined for any other response. */
function findRedirect({ status, headers }: Response, method = "GET"): string | undefined {
  const isFollowed =
    KEEPS_METHOD.includes(status) || (CHANGES_METHOD.includes(status) && method === "GET");
  return isFollowed ? (headers.get("Location") ?? undefined) : undefined;
}

function limitBody(response: Response, count: (chunk: Uint8Array) => void): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        count(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { status, statusText, headers });
}
