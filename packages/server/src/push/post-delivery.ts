import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type AddressGuard, AddressRefused } from "./address/address-guard.js";

/** A request to a receiver. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** The result of a post. */
export type PostOutcome =
  | { readonly type: "accepted" }
  /** The receiver had closed the connection that an earlier call left open. */
  | { readonly type: "stale" }
  | {
      readonly type: "refused";
      /** Reason for the client, without secrets. */
      readonly error: string;
      /** True if the receiver is permanently gone. */
      readonly isFinal: boolean;
      readonly retryAfterMs?: number;
      /** Addresses of the receiver, for the operator. */
      readonly addresses?: readonly string[];
    };

/** Sends requests to receivers. */
export interface Poster {
  post(post: Post): Promise<PostOutcome>;
  /** Closes all connections. A running call ends with a refusal. */
  close(): void;
}

/** Options of {@link createPoster}. */
export interface PosterOptions {
  readonly guard: AddressGuard;
  /** Time that a receiver may take to answer. */
  readonly timeoutMs: number;
  /** The wall clock. */
  now(): Date;
}

/** Limits on the time and size of the body of an answer. If a limit is exceeded, the connection is closed. */
const MAX_ANSWER_MS = 1_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Time that a connection is kept open for the next call. */
const IDLE_MS = 5_000;

/** Creates a poster. Redirects are not followed, because their targets were not checked. */
export function createPoster({ guard, timeoutMs, now }: PosterOptions): Poster {
  const settings = { keepAlive: true, maxFreeSockets: 1, timeout: IDLE_MS };
  const agents = { http: new HttpAgent(settings), https: new HttpsAgent(settings) };

  async function send({ url: text, headers, body, signal }: Post): Promise<PostOutcome> {
    const url = new URL(text);
    guard.check(url);
    const isSecure = url.protocol === "https:";
    return await new Promise((resolve, reject) => {
      const sent = (isSecure ? httpsRequest : httpRequest)(url, {
        method: "POST",
        agent: isSecure ? agents.https : agents.http,
        lookup: guard.lookup,
        signal,
        headers: { ...headers, "Content-Length": Buffer.byteLength(body) },
      });
      // This one timeout applies to the name lookup, the connection and the headers of the answer together.
      const timer = setTimeout(() => {
        reject(new TimedOut());
        sent.destroy();
      }, timeoutMs);
      let isAnswered = false;
      sent.once("response", (answer) => {
        isAnswered = true;
        clearTimeout(timer);
        discardBody(answer).then(() => resolve(toOutcome(answer, now())), reject);
      });
      // Without this listener, Node would close the connection, and the status of the answer would be lost.
      sent.once("upgrade", (answer, socket) => {
        socket.destroy();
        resolve(toOutcome(answer, now()));
      });
      // If the connection closes without an answer, the post must not wait until the timeout.
      sent.once("close", () => {
        clearTimeout(timer);
        if (!isAnswered) reject(new Error("closed before an answer"));
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        if (isAnswered) return;
        const isStale =
          sent.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
        if (isStale && !signal.aborted) resolve({ type: "stale" });
        else reject(error);
      });
      sent.end(body);
    });
  }

  return {
    post: (post) => send(post).catch((reason: unknown) => toRefusal(reason, timeoutMs)),
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

class TimedOut extends Error {}

function toOutcome({ statusCode = 0, headers }: IncomingMessage, now: Date): PostOutcome {
  if (statusCode >= 200 && statusCode < 300) return { type: "accepted" };
  const retryAfterMs = readRetryAfter(headers["retry-after"], now);
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return {
    type: "refused",
    error: `the receiver answered ${statusCode}${isRedirect ? "; redirects are not followed" : ""}`,
    // Only 410 Gone is final. Other errors are often mistakes that somebody fixes later.
    isFinal: statusCode === 410,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Reads the wait in ms from a `Retry-After` header; undefined without a valid header. (RFC 9110, 10.2.3) */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now.getTime());
}

// Reads and discards the body of an answer, so that the connection can be reused. The status alone decides the outcome.
function discardBody(answer: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(() => answer.destroy(), MAX_ANSWER_MS);
    answer.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) answer.destroy();
    });
    answer.on("error", () => {});
    answer.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function toRefusal(reason: unknown, timeoutMs: number): PostOutcome {
  const refused = (error: string) => ({ type: "refused" as const, error, isFinal: false });
  if (reason instanceof TimedOut) {
    return refused(`the receiver did not answer within ${timeoutMs} ms`);
  }
  if (reason instanceof AddressRefused) {
    return { ...refused("the receiver's address is not allowed"), addresses: reason.addresses };
  }
  const { code } = reason as NodeJS.ErrnoException;
  return refused(`the receiver could not be reached${code === undefined ? "" : ` (${code})`}`);
}
