import type { ModelError } from "../model.js";
import { ModelFailure } from "../retry/model-failure.js";
import { type AnswerLimits, defaultAnswerLimits } from "./answer-limits.js";
import { boundAnswer, readErrorText } from "./bounded-body.js";
import { openSilenceTimer, type StartTimer } from "./silence-timer.js";
import { connectionFailure, toReadFailure, toStatusFailure } from "./vendor-failure.js";

/** One request to a vendor and its answer. */
export interface Exchange {
  /** Aborts when the turn does, or when the exchange is closed. */
  readonly signal: AbortSignal;
  /** What an SDK must fetch with. Its answers are bounded in bytes and in silence. */
  readonly fetch: typeof fetch;
  /** Throws what went wrong on the wire, if anything did: an SDK may take it for an end. */
  check(): void;
  /** Anything that an SDK threw → why there is no answer, free of secrets. */
  explain(reason: unknown): ModelError;
  /** Lets go of the socket, wherever the answer has got to. */
  close(): void;
}

/** How an endpoint is waited for. */
export interface AnswerOptions {
  /** What is left out has its default. */
  readonly limits?: Partial<AnswerLimits>;
  /** For tests: the clock of the silence. */
  readonly startTimer?: StartTimer;
}

/** What an exchange needs to know. */
export interface ExchangeOptions extends AnswerOptions {
  readonly signal: AbortSignal;
  /** What no error may show, such as the key. */
  readonly secrets: readonly string[];
}

/**
 * Opens an exchange.
 *
 * The SDKs hide headers (retry-after) or whole causes of a failed request behind errors of their own:
 * the first thing that went wrong on the wire is remembered here and wins.
 */
export function openExchange(options: ExchangeOptions): Exchange {
  const { signal, secrets } = options;
  const limits = { ...defaultAnswerLimits, ...options.limits };
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  let failure: ModelFailure | undefined;
  let origin = "its address";
  const silence = openSilenceTimer(
    limits.silenceMs,
    () => {
      failure ??= silentFailure(origin, limits.silenceMs);
      abort();
    },
    options.startTimer,
  );
  const remember = (found: ModelFailure): ModelFailure => {
    failure ??= found;
    return failure;
  };
  const body = {
    limits,
    silence,
    explain: (reason: unknown) => (reason instanceof ModelFailure ? remember(reason) : reason),
  };

  return {
    signal: controller.signal,
    async fetch(input, init) {
      origin = new URL(input instanceof Request ? input.url : input).origin;
      const response = await silence.watch(fetch(input, init)).catch((reason: unknown) => {
        throw remember(connectionFailure(reason, origin));
      });
      const refusal = await findAnswerFailure(response, () => readErrorText(response, body));
      if (refusal === undefined) return boundAnswer(response, body);
      // Also if its body never came: the status is known.
      failure = refusal;
      throw refusal;
    },
    check() {
      if (failure !== undefined) throw failure;
    },
    explain: (reason) => withoutSecrets(failure ?? toReadFailure(reason, origin), secrets),
    close() {
      silence.close();
      signal.removeEventListener("abort", abort);
      abort();
    },
  };
}

async function findAnswerFailure(
  response: Response,
  readText: () => Promise<string>,
): Promise<ModelFailure | undefined> {
  if (!response.ok) return toStatusFailure(response, await readText());
  if (!response.headers.get("content-type")?.includes("text/html")) return undefined;
  return new ModelFailure("the model's address answered with a web page: is the base URL right?", {
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
