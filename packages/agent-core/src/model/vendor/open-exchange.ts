import type { ModelError } from "../model.js";
import { ModelFailure } from "../retry/model-failure.js";
import { readErrorText, readEventTexts } from "./bounded-body.js";
import { readEventData } from "./event-data.js";
import { findProperty } from "./find-property.js";
import { type HttpResponse, sendRequest } from "./http-request.js";
import { DEFAULT_REPLY_LIMITS, type ReplyLimits } from "./reply-limits.js";
import { openSilenceTimer, type StartTimer } from "./silence-timer.js";
import {
  connectionFailure,
  toReadFailure,
  toStatusFailure,
  toStreamFailure,
} from "./vendor-failure.js";

/** One request to a vendor, and its reply. */
export interface Exchange {
  /** Aborts if the turn is cancelled, the endpoint is silent too long, or `close` interrupts the reply. */
  readonly signal: AbortSignal;
  /** Sends a POST request. Throws {@link ModelFailure} for an error status, a redirection or a web page. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<void>;
  /**
   * The `fetch` function for an SDK. Its response has status and headers but no body, because the SDK reads
   * bodies far more slowly than {@link events}.
   */
  readonly fetch: typeof fetch;
  /**
   * Reads the reply, with limits on bytes and silence. `read` converts one parsed event. The results come in
   * batches, one for each network chunk.
   */
  events<TItem>(read: (event: unknown) => readonly TItem[]): AsyncGenerator<readonly TItem[]>;
  /** Converts an error of the request or the reply to an error for the person, without secrets. */
  explain(reason: unknown): ModelError;
  /** Ends the exchange. If the reply is not complete, its socket is closed. */
  close(): void;
}

/** Limits and timer of replies. */
export interface ReplyOptions {
  /** Limits that replace the defaults. */
  readonly limits?: Partial<ReplyLimits>;
  /** Starts the timer that detects silence. Tests replace this function. */
  readonly startTimer?: StartTimer;
}

/** Options of {@link openExchange}. */
export interface ExchangeOptions extends ReplyOptions {
  readonly signal: AbortSignal;
  /** Texts that must not appear in errors, such as the key. */
  readonly secrets: readonly string[];
}

/**
 * Opens an exchange.
 *
 * The errors of the SDKs hide headers such as retry-after, or the whole cause. So the exchange stores the
 * first failure of the network and reports that failure instead.
 */
export function openExchange(options: ExchangeOptions): Exchange {
  const { signal, secrets } = options;
  const limits = { ...DEFAULT_REPLY_LIMITS, ...options.limits };
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  let failure: ModelFailure | undefined;
  let answer: HttpResponse | undefined;
  let origin = "its address";
  const silence = openSilenceTimer(
    limits.silenceMs,
    () => {
      failure ??= silentFailure(origin, limits.silenceMs);
      abort();
    },
    options.startTimer,
  );
  const storeFailure = (found: ModelFailure): ModelFailure => {
    failure ??= found;
    return failure;
  };
  const body = {
    limits,
    silence,
    explain: (reason: unknown) => (reason instanceof ModelFailure ? storeFailure(reason) : reason),
  };

  async function send(
    url: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    text: string,
  ): Promise<HttpResponse> {
    const address = new URL(url);
    ({ origin } = address);
    const request = { method, headers, body: text, signal: controller.signal };
    const response = await silence.watch(sendRequest(address, request)).catch((reason: unknown) => {
      throw storeFailure(connectionFailure(reason, origin));
    });
    const refusal = await findResponseFailure(response, () => readErrorText(response, body));
    if (refusal === undefined) {
      answer = response;
      return response;
    }
    // The refusal contains the status, so it replaces an earlier failure to read the body.
    failure = refusal;
    throw refusal;
  }

  return {
    signal: controller.signal,
    async post(url, headers, text) {
      await send(url, "POST", { "content-type": "application/json", ...headers }, text);
    },
    async fetch(input, init = {}) {
      if (typeof init.body !== "string") throw new TypeError("the body of a request is not a text");
      const url = input instanceof Request ? input.url : String(input);
      const sent = Object.fromEntries(new Headers(init.headers));
      const { status, statusText, headers } = await send(
        url,
        init.method ?? "POST",
        sent,
        init.body,
      );
      return new Response(null, { status, statusText, headers });
    },
    async *events(read) {
      if (answer === undefined) return;
      for await (const { text, isUnfinished } of readEventTexts(answer, body)) {
        const texts = isUnfinished ? readUnfinished(text) : readEventData(text);
        const doneIndex = texts.findIndex((each) => each.startsWith("[DONE]"));
        const { items, fault } = readEach(
          doneIndex === -1 ? texts : texts.slice(0, doneIndex),
          read,
        );
        if (items.length > 0) yield items;
        if (fault !== undefined) throw fault.reason;
        if (doneIndex !== -1) return;
      }
    },
    explain: (reason) => withoutSecrets(failure ?? toReadFailure(reason, origin), secrets),
    close() {
      silence.close();
      signal.removeEventListener("abort", abort);
      // A complete reply is not aborted, so that its socket can serve the next request.
      if (answer?.body.complete !== true) abort();
    },
  };
}

/** Parses the text after the last blank line: an unfinished event, or a body that is one JSON error. */
function readUnfinished(text: string): readonly string[] {
  return /^\s*[[{]/.test(text) ? [text] : readEventData(`${text}\n\n`);
}

/** Reads events until one is invalid. Returns the items of the valid events, and the fault. */
function readEach<TItem>(
  texts: readonly string[],
  read: (event: unknown) => readonly TItem[],
): { readonly items: readonly TItem[]; readonly fault?: { readonly reason: unknown } } {
  const items: TItem[] = [];
  try {
    for (const text of texts) items.push(...read(parseEvent(text)));
  } catch (reason) {
    return { items, fault: { reason } };
  }
  return { items };
}

/** Parses the data of an event; throws if the data is an error. An error may arrive even after status 200. */
function parseEvent(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const first = Array.isArray(value) ? value[0] : value;
  if (findProperty(first, "error")) throw toStreamFailure(first);
  return value;
}

async function findResponseFailure(
  { status, headers, body }: HttpResponse,
  readText: () => Promise<string>,
): Promise<ModelFailure | undefined> {
  // The key must not reach another address, so a redirection is not followed.
  if (status >= 300 && status < 400) {
    const target = body.headers.location ?? "another address";
    return new ModelFailure(
      `the model's base URL redirects to ${target}; set the base URL to that address`,
      { isTransient: false },
    );
  }
  if (status < 200 || status >= 300) return toStatusFailure({ status, headers }, await readText());
  if (!body.headers["content-type"]?.includes("text/html")) return undefined;
  return new ModelFailure("the model's base URL answered with a web page; check the base URL", {
    isTransient: false,
  });
}

function silentFailure(origin: string, silenceMs: number): ModelFailure {
  return new ModelFailure(
    `the model at ${origin} sent nothing for ${silenceMs / 1000} s (DT_MODEL_SILENCE_MS)`,
    { isTransient: true },
  );
}

function withoutSecrets(error: ModelError, secrets: readonly string[]): ModelError {
  for (const secret of secrets) {
    if (secret !== "") error.message = error.message.replaceAll(secret, "…");
  }
  return error;
}
