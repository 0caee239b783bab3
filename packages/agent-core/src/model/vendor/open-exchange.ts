import type { ModelError } from "../model.js";
import { ModelFailure } from "../retry/model-failure.js";
import { readErrorText, readEventTexts } from "./bounded-body.js";
import { readEventData } from "./event-data.js";
import { findProperty } from "./find-property.js";
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
  /** Aborts with the turn, or when the exchange is closed. */
  readonly signal: AbortSignal;
  /**
   * The `fetch` for the SDK. It returns status and headers without the body, because the SDK reads bodies far
   * more slowly than {@link events}.
   */
  readonly fetch: typeof fetch;
  /**
   * Reads the reply, with limits on bytes and silence. `read` converts one parsed event. The results come in
   * batches, one for each network chunk.
   */
  events<TItem>(read: (event: unknown) => readonly TItem[]): AsyncGenerator<readonly TItem[]>;
  /** Converts an error of an SDK to a message for the person, without secrets. */
  explain(reason: unknown): ModelError;
  /** Closes the socket, even in the middle of a reply. */
  close(): void;
}

/** Limits and timer of replies. */
export interface ReplyOptions {
  /** Each limit has a default. */
  readonly limits?: Partial<ReplyLimits>;
  /** Starts the timer for silence. Tests pass their own. */
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
 * first failure of the network and reports it instead.
 */
export function openExchange(options: ExchangeOptions): Exchange {
  const { signal, secrets } = options;
  const limits = { ...DEFAULT_REPLY_LIMITS, ...options.limits };
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  let failure: ModelFailure | undefined;
  let answer: Response | undefined;
  let isFullyRead = false;
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

  return {
    signal: controller.signal,
    async fetch(input, init) {
      origin = new URL(input instanceof Request ? input.url : input).origin;
      const response = await silence.watch(fetch(input, init)).catch((reason: unknown) => {
        throw storeFailure(connectionFailure(reason, origin));
      });
      const refusal = await findResponseFailure(response, () => readErrorText(response, body));
      if (refusal === undefined) {
        answer = response;
        const { status, statusText, headers } = response;
        return new Response(null, { status, statusText, headers });
      }
      // The status counts even if the body could not be read.
      failure = refusal;
      throw refusal;
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
      isFullyRead = true;
    },
    explain: (reason) => withoutSecrets(failure ?? toReadFailure(reason, origin), secrets),
    close() {
      silence.close();
      signal.removeEventListener("abort", abort);
      // A reply that was read to its end has no open socket, and an abort would cost an error object.
      if (!isFullyRead) abort();
    },
  };
}

/** Parses a text without a blank line at its end: the last event, or an error that is the whole body. */
function readUnfinished(text: string): readonly string[] {
  return /^\s*[[{]/.test(text) ? [text] : readEventData(`${text}\n\n`);
}

/** Reads events up to the first invalid one. The events before it still count. */
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

/** Parses the data of an event; throws if it is an error, which may arrive after the status was 200. */
function parseEvent(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const first = Array.isArray(value) ? value[0] : value;
  if (findProperty(first, "error")) throw toStreamFailure(first);
  return value;
}

async function findResponseFailure(
  response: Response,
  readText: () => Promise<string>,
): Promise<ModelFailure | undefined> {
  if (!response.ok) return toStatusFailure(response, await readText());
  if (!response.headers.get("content-type")?.includes("text/html")) return undefined;
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
