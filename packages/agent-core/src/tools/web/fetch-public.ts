import type { IncomingMessage } from "node:http";
import net from "node:net";
import { hostOf } from "@dt/schema/address";
import { ToolError } from "../../errors/tool-error.js";
import { type AddressCheck, parseFetchUrl, privateAddressError } from "./check-url.js";

/** Resolves a host name to its addresses. */
export type Lookup = (
  host: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** Options of {@link fetchPublic}. */
export interface FetchOptions {
  readonly lookup: Lookup;
  readonly isAllowed: AddressCheck;
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 5;
const REDIRECT_CODES = new Set([301, 302, 303, 307, 308]);

/**
 * Requests a public URL and follows its redirects; the caller reads or destroys the response.
 *
 * Each host name is resolved once and all of its addresses are checked. The connection uses one of the
 * checked addresses, so the name cannot change to a private address after the check.
 */
export async function fetchPublic(
  text: string,
  options: FetchOptions,
): Promise<{ readonly url: URL; readonly response: IncomingMessage }> {
  let url = parseFetchUrl(text, options.isAllowed);
  for (let followed = 0; followed <= MAX_REDIRECTS; followed += 1) {
    const response = await request(url, options);
    const target = REDIRECT_CODES.has(response.statusCode ?? 0)
      ? response.headers.location
      : undefined;
    if (target === undefined) return { url, response };
    response.destroy();
    url = parseFetchUrl(new URL(target, url).href, options.isAllowed);
  }
  throw new ToolError(
    "too_many_redirects",
    `${hostOf(url)} redirects more than ${MAX_REDIRECTS} times`,
  );
}

async function request(url: URL, options: FetchOptions): Promise<IncomingMessage> {
  const host = hostOf(url);
  const addresses = await publicAddresses(host, options);
  const { request: send } =
    url.protocol === "https:" ? await import("node:https") : await import("node:http");
  return await new Promise((resolve, reject) => {
    const sent = send(url, {
      // Each request opens a new connection, because a reused one may lead to another address.
      agent: false,
      signal: options.signal,
      headers: { accept: "text/html,text/*,application/json,*/*;q=0.5", "user-agent": "dt" },
      lookup: (_host, { all }, callback) => {
        const [first] = addresses;
        if (all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? "", first?.family ?? 4);
      },
    });
    sent.once("response", resolve);
    sent.once("error", reject);
    sent.end();
  });
}

async function publicAddresses(host: string, { lookup, isAllowed }: FetchOptions) {
  const family = net.isIP(host);
  const addresses = family === 0 ? await lookup(host) : [{ address: host, family }];
  if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) {
    throw privateAddressError(host);
  }
  return addresses;
}
