import { isObject, type JsonObject } from "@dt/schema";
import { SetupError } from "../errors/setup-error.js";

const CARD_PATH = ".well-known/agent-card.json";

/** Fetches the agent card below an address; throws {@link SetupError} with what to do. */
export async function fetchAgentCard(
  url: string,
  options: {
    readonly fetch: typeof globalThis.fetch;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  },
): Promise<JsonObject> {
  const address = new URL(CARD_PATH, url.endsWith("/") ? url : `${url}/`);
  const { signal, headers } = options;
  let response: Response;
  try {
    response = await options.fetch(address, { headers, ...(signal !== undefined && { signal }) });
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new SetupError(`no agent answers at ${url}; is it running?`, { cause });
  }
  if (!response.ok)
    throw new SetupError(`${address} answered ${response.status}; is it an A2A agent?`);
  const card: unknown = await response.json().catch(() => undefined);
  if (!isObject(card)) throw new SetupError(`${address} is not an agent card; is it an A2A agent?`);
  return card;
}
