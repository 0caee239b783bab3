import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type AddressRules, checkServerUrl, resolveServer } from "./address-rules.js";

/** Thrown if a server answers with a redirect. */
export class RedirectRefused extends Error {
  override readonly name = "RedirectRefused";

  constructor(status: number) {
    super(`it answered with status ${status}, and redirects are not followed`);
  }
}

/**
 * Creates a `fetch` that connects only to addresses that the rules allow. It follows no redirect,
 * because the person who allowed the server saw only the address in its settings.
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
  if (text === undefined && body)
    throw new TypeError("the body of a request to an MCP server must be a string");
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: init.method ?? "GET",
      // A reused connection would skip the check of its address.
      agent: false,
      headers: { "user-agent": "dt", ...Object.fromEntries(new Headers(init.headers)) },
      ...(signal && { signal }),
      lookup: (_host, { all }, callback) => {
        const [first] = addresses;
        if (all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? "", first?.family ?? 4);
      },
    });
    outgoing.once("response", resolve);
    outgoing.once("error", reject);
    // Without this listener, Node would close the connection and the promise would never settle.
    outgoing.once("upgrade", (_answer, socket) => {
      socket.destroy();
      reject(new Error("it tried to switch to another protocol"));
    });
    outgoing.end(text);
  });
}

const STATUS_WITHOUT_BODY = new Set([204, 205, 304]);

function toResponse(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  if (STATUS_WITHOUT_BODY.has(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  // The cast is safe, because Node's own type of a web stream and the global type describe the same object.
  return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, headers });
}
