import type { ModelError } from "../model.js";
import { ModelFailure } from "../model-failure.js";
import { connectionFailure, toReadFailure, toStatusFailure } from "./vendor-failure.js";

/** One request to a vendor and its answer. */
export interface Exchange {
  /** Aborts when the turn does, or when the exchange is closed. */
  readonly signal: AbortSignal;
  /** What an SDK must fetch with. */
  readonly fetch: typeof fetch;
  /** Anything that an SDK threw → why there is no answer, free of secrets. */
  explain(reason: unknown): ModelError;
  /** Lets go of the socket, wherever the answer has got to. */
  close(): void;
}

/** What an exchange needs to know. */
export interface ExchangeOptions {
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
export function openExchange({ signal, secrets }: ExchangeOptions): Exchange {
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  let failure: ModelFailure | undefined;
  let origin = "its address";

  return {
    signal: controller.signal,
    async fetch(input, init) {
      origin = new URL(input instanceof Request ? input.url : input).origin;
      const response = await fetch(input, init).catch((reason: unknown) => {
        failure = connectionFailure(reason, origin);
        throw failure;
      });
      failure = await findAnswerFailure(response);
      if (failure !== undefined) throw failure;
      return response;
    },
    explain: (reason) => withoutSecrets(failure ?? toReadFailure(reason, origin), secrets),
    close() {
      signal.removeEventListener("abort", abort);
      abort();
    },
  };
}

async function findAnswerFailure(response: Response): Promise<ModelFailure | undefined> {
  if (!response.ok) return await toStatusFailure(response);
  if (!response.headers.get("content-type")?.includes("text/html")) return undefined;
  return new ModelFailure("the model's address answered with a web page: is the base URL right?", {
    isTransient: false,
  });
}

function withoutSecrets(error: ModelError, secrets: readonly string[]): ModelError {
  for (const secret of secrets) {
    if (secret !== "") error.message = error.message.replaceAll(secret, "…");
  }
  return error;
}
