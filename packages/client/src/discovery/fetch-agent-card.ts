import { findJson, isObject, type JsonObject } from "@dt/schema";
import type { Credentials } from "../access/credentials.js";
import { SetupFaultError } from "../errors/setup-fault.js";
import { untilAborted } from "../transport/abort-signals.js";

/** Path of the card below an agent's address. */
export const CARD_PATH = ".well-known/agent-card.json";

/** Options for fetching a card. */
export interface FetchAgentCardOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
  readonly signal?: AbortSignal | undefined;
}

/** Fetches the agent card below an address; throws {@link SetupFaultError} if that fails. */
export async function fetchAgentCard(
  url: string,
  options: FetchAgentCardOptions,
): Promise<JsonObject> {
  const address = cardAddress(url);
  if (address === undefined) throw new SetupFaultError({ type: "address", url });
  const { fetch, headers, credentials, signal } = options;

  async function orUnreachable<TValue>(result: Promise<TValue>): Promise<TValue> {
    try {
      return await untilAborted(result, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      throw new SetupFaultError({ type: "unreachable", url }, cause);
    }
  }

  for (let wasRefused = false; ; wasRefused = true) {
    const own = await untilAborted(credentials.headers({ wasRefused }), signal);
    const init = { headers: { ...headers, ...own }, ...(signal !== undefined && { signal }) };
    const response = await orUnreachable(fetch(address, init));
    const { status } = response;
    const text = await orUnreachable(response.text());
    if (status === 401 && credentials.canRefresh && !wasRefused) continue;
    const card = response.ok && findJson(text);
    if (isObject(card)) return card;
    const from = response.url || address.href;
    const hasCredentials = Object.keys(own).length > 0;
    throw new SetupFaultError({ type: "answer", url, from, status, text, hasCredentials });
  }
}

function cardAddress(url: string): URL | undefined {
  try {
    const address = new URL(CARD_PATH, url.endsWith("/") ? url : `${url}/`);
    return /^https?:$/.test(address.protocol) && address.username === "" ? address : undefined;
  } catch {
    return undefined;
  }
}
