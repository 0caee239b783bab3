import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type AddressRules, checkServerUrl, resolveServer } from "./address-rules.js";

/** A server that answered with a redirect. */
export class RedirectRefused extends Error {
  override readonly name = "RedirectRefused";

  constructor(status: number) {
    super(`it answered with status ${status}, and redirects are not followed`);
  }
}

/**
 * A `fetch` that connects only to addresses that the rules allow, and follows no redirect: whoever
 * allowed the server saw the address that was named, and no other.
 */
export function createGuardedFetch(rules: AddressRules): FetchLike {
  return async (input, init = {}) => {
    const url = checkServerUrl(String(input), rules);
    const answer = await send(url, init, rules);
    const { statusCode = 0 } = answer;
    if (statusCode >= 300 && statusCode < 400 && statusCode !== 304) {
      answer.destroy();
      throw new RedirectRefused(statusCode);
    }
    return toResponse(answer);
  };
}

async function send(url: URL, init: RequestInit, rules: AddressRules): Promise<IncomingMessage> {
  const addresses = await resolveServer(url, rules);
  const { request } =
    url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const { body, signal } = init;
  const text = typeof body === "string" ? body : undefined;
  if (text === undefined && body) throw new TypeError("only text can be sent");
  return await new Promise((resolve, reject) => {
    const sent = request(url, {
      method: init.method ?? "GET",
      // Each connection is made for one request, to an address that was judged for it.
      agent: false,
      headers: { "user-agent": "dt", ...Object.fromEntries(new Headers(init.headers)) },
      ...(signal && { signal }),
      lookup: (_host, { all }, callback) => {
        const [first] = addresses;
        if (all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? "", first?.family ?? 4);
      },
    });
    sent.once("response", resolve);
    sent.once("error", reject);
    // Without a listener Node closes the connection and says nothing.
    sent.once("upgrade", (_answer, socket) => {
      socket.destroy();
      reject(new Error("it answered with another protocol"));
    });
    sent.end(text);
  });
}

const withoutBody = new Set([204, 205, 304]);

function toResponse(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  if (withoutBody.has(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  // Node's type of a web stream and the global one differ in name alone.
  return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, headers });
}
