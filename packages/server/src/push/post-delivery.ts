import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type AddressGuard, AddressRefused } from "./address/address-guard.js";

/** Something to post. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborts when nobody wants it posted any more. */
  readonly signal: AbortSignal;
}

/** What became of a post. */
export type PostOutcome =
  | { readonly type: "accepted" }
  /** A connection that was kept from the call before had been closed by the receiver. */
  | { readonly type: "stale" }
  | {
      readonly type: "refused";
      /** One sentence without secrets: the client reads it. */
      readonly error: string;
      /** Whether the receiver said that it is gone for good. */
      readonly isFinal: boolean;
      readonly retryAfterMs?: number;
      /** For the operator: what the name of the receiver led to. */
      readonly addresses?: readonly string[];
    };

/** Posts to receivers. */
export interface Poster {
  post(post: Post): Promise<PostOutcome>;
  /** Closes what is kept open. */
  close(): void;
}

/** How posts are made. */
export interface PosterOptions {
  readonly guard: AddressGuard;
  /** How long a receiver may take to answer. */
  readonly timeoutMs: number;
}

/** How long, and how much, of an answer that has begun is read before its connection is dropped. */
const ANSWER_MS = 1_000;
const ANSWER_BYTES = 64 * 1024;
/** How long a connection is kept for the next call. */
const IDLE_MS = 5_000;

/** Opens a poster. Redirects are not followed: what they name was judged by nobody. */
export function createPoster({ guard, timeoutMs }: PosterOptions): Poster {
  const kept = { keepAlive: true, maxFreeSockets: 1, timeout: IDLE_MS };
  const agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) };

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
      // Counted from the start: the name, the connection and the answer together.
      const timer = setTimeout(() => {
        reject(new TimedOut());
        sent.destroy();
      }, timeoutMs);
      let isAnswered = false;
      sent.once("response", (answer) => {
        isAnswered = true;
        clearTimeout(timer);
        readOut(answer).then(() => resolve(judge(answer)), reject);
      });
      // Without a listener Node would close the connection and say nothing.
      sent.once("upgrade", (answer, socket) => {
        socket.destroy();
        resolve(judge(answer));
      });
      // Whatever ends the call unanswered ends the wait for it.
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
    post: (post) => send(post).catch((reason: unknown) => describe(reason, timeoutMs)),
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

class TimedOut extends Error {}

function judge({ statusCode = 0, headers }: IncomingMessage): PostOutcome {
  if (statusCode >= 200 && statusCode < 300) return { type: "accepted" };
  const retryAfterMs = readRetryAfter(headers["retry-after"]);
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return {
    type: "refused",
    error: `it answered ${statusCode}${isRedirect ? "; redirects are not followed" : ""}`,
    // Gone: the one answer that means never again. The others are often a mistake that is put right.
    isFinal: statusCode === 410,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Seconds or a date; undefined for anything else. (RFC 9110, 10.2.3) */
export function readRetryAfter(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}

// The status is the receiver's word; how the rest of its answer comes, or whether, changes nothing.
function readOut(answer: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(() => answer.destroy(), ANSWER_MS);
    answer.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES) answer.destroy();
    });
    answer.on("error", () => {});
    answer.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function describe(reason: unknown, timeoutMs: number): PostOutcome {
  const refused = (error: string) => ({ type: "refused" as const, error, isFinal: false });
  if (reason instanceof TimedOut) return refused(`it did not answer within ${timeoutMs} ms`);
  if (reason instanceof AddressRefused) {
    return { ...refused("its address is not allowed"), addresses: reason.addresses };
  }
  const { code } = reason as NodeJS.ErrnoException;
  return refused(`it could not be reached${code === undefined ? "" : ` (${code})`}`);
}
