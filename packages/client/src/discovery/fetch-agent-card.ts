import { isObject, type JsonObject } from "@dt/schema";
import type { Credentials } from "../access/credentials.js";
import { SetupError } from "../errors/setup-error.js";
import { untilAborted } from "../transport/until-aborted.js";

const CARD_PATH = ".well-known/agent-card.json";

/** How a card is fetched. */
export interface FetchAgentCardOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials?: Credentials;
  readonly signal?: AbortSignal | undefined;
}

/** Fetches the agent card below an address; throws {@link SetupError} with what to do. */
export async function fetchAgentCard(
  url: string,
  options: FetchAgentCardOptions,
): Promise<JsonObject> {
  const address = cardAddress(url);
  const response = await request(address, url, options);
  const { status, ok } = response;
  if (status === 401 || status === 403) {
    const advice = "pass a token that it accepts as `token` to connect()";
    throw new SetupError(`${address} answered ${status}: the agent does not know you; ${advice}`);
  }
  if (!ok) throw new SetupError(`${address} answered ${status}; is it an A2A agent?`);
  const card: unknown = await response.json().catch(() => undefined);
  if (!isObject(card)) throw new SetupError(`${address} is not an agent card; is it an A2A agent?`);
  return card;
}

async function request(
  address: URL,
  url: string,
  { fetch, headers, credentials, signal }: FetchAgentCardOptions,
): Promise<Response> {
  for (let wasRefused = false; ; wasRefused = true) {
    const own = credentials && (await untilAborted(credentials.headers({ wasRefused }), signal));
    const init = { headers: { ...headers, ...own }, ...(signal !== undefined && { signal }) };
    const response = await fetch(address, init).catch((cause: unknown) => {
      if (signal?.aborted === true) throw cause;
      throw new SetupError(`no agent answers at ${url}; is it running?`, { cause });
    });
    const isRefused = response.status === 401 && credentials?.canRefresh === true;
    if (!isRefused || wasRefused) return response;
    await response.body?.cancel();
  }
}

function cardAddress(url: string): URL {
  try {
    return new URL(CARD_PATH, url.endsWith("/") ? url : `${url}/`);
  } catch (cause) {
    throw new SetupError(`${url} is not an address; try http://127.0.0.1:41242`, { cause });
  }
}
