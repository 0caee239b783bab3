import { buildCardEntries, DEFAULT_EXTENSION_URIS, type JsonObject, SetupError } from "@dt/schema";
import { expect, test } from "vitest";
import { connect } from "../connect.js";
import { createFakeAgent } from "../testing/index.js";

const [developmentTool] = buildCardEntries();
const url = "http://agent.test/";

function cardWith(overrides: JsonObject): JsonObject {
  return {
    url,
    protocolVersion: "0.3.0",
    preferredTransport: "JSONRPC",
    capabilities: { extensions: [developmentTool] },
    ...overrides,
  };
}

async function reasonOf(answer: () => Response | Promise<Response>, options = {}): Promise<string> {
  const connecting = connect(url, { fetch: async () => answer(), ...options });
  const reason = await connecting.catch((error: unknown) => error);
  expect(reason).toBeInstanceOf(SetupError);
  return String(reason);
}

const offline = () => {
  throw new TypeError("fetch failed");
};
const answers =
  (status: number, text = "") =>
  () =>
    new Response(text, { status });
const card = (overrides: JsonObject) => () => Response.json(cardWith(overrides));
const newer = {
  capabilities: {
    extensions: [{ uri: DEFAULT_EXTENSION_URIS.developmentTool.replace("/v0/", "/v1/") }],
  },
};

test.each<[string, () => Response, string, object?]>([
  ["the agent is not running", offline, "no agent answers at http://agent.test/; is it running?"],
  [
    "the address has no card",
    () => new Response("", { status: 404 }),
    "answered 404; is it an A2A agent?",
  ],
  ["the card is a web page", answers(200, "<html>"), "is a web page, not an agent card"],
  [
    "the card is plain text",
    answers(200, "hello"),
    "is a text, not an agent card; is it an A2A agent?",
  ],
  [
    "the agent refuses the host name",
    answers(403, '{"error":"b.test is not allowed"}'),
    "(b.test is not allowed)",
  ],
  ["the agent denies access", answers(403), "the agent denied access; use a host name"],
  [
    "the agent refuses the token",
    answers(401),
    "the agent refused your credentials",
    { token: "old" },
  ],
  ["the agent failed", answers(500), "answered 500: the agent failed; read its log"],
  [
    "the proxy cannot reach the agent",
    answers(502),
    "answered 502: the agent behind the proxy is not running",
  ],
  ["the agent is busy", answers(429), "answered 429: the agent is busy; try again later"],
  ["the agent requires TLS", answers(400, "sent to HTTPS port"), "use https://agent.test/"],
  ["the agent requires a token", () => new Response("", { status: 401 }), "pass a valid `token`"],
  ["the agent lacks the extension", card({ capabilities: {} }), "does not declare the extension"],
  [
    "the versions are incompatible",
    card(newer),
    "the agent speaks v1 of the extension, this client speaks v0",
  ],
  ["the agent speaks another version of A2A", card({}), "leave out `version`", { version: "1.0" }],
  ["the agent has no WebSocket", card({}), 'use transport: "sse"', { transport: "websocket" }],
])("the error says what to do if %s [RFC-05]", async (_, answer, message, options) => {
  expect(await reasonOf(answer, options)).toContain(message);
});

test("a token for an encrypted address is not sent to an unencrypted address", async () => {
  const fetch = async () => Response.json(cardWith({}));
  const secure = "https://agent.test/";

  const client = await connect(secure, { fetch, token: "secret", keepsOrigin: true });

  await expect(connect(secure, { fetch, token: "secret" })).rejects.toThrow(
    "which does not encrypt your token",
  );
  expect(client.version).toBe("0.3");
});

test("a relative address in a card is resolved against the agent's address", async () => {
  const requested: string[] = [];
  const fetch = async (input: unknown) => {
    requested.push(String(input));
    return Response.json(cardWith({ url: "/a2a" }));
  };

  const client = await connect(url, { fetch, reconnect: { baseMs: 1, maxMs: 1, maxAttempts: 1 } });
  await client.commands().catch(() => {});

  expect(requested.at(-1)).toBe("http://agent.test/a2a");
});

test.each(["http://", "mailto:a@b"])("connect refuses the address %s in a card", async (listed) => {
  expect(await reasonOf(card({ url: listed }))).toContain(
    "which is not an address; correct the card",
  );
});

test.each([
  ["localhost", "localhost is not an address; try http://localhost"],
  ["localhost:41242", "localhost:41242 is not an address; try http://localhost:41242"],
  [undefined as unknown as string, "undefined is not an address; try http://127.0.0.1:41242"],
  ["41242", "41242 is not an address; try http://127.0.0.1:41242"],
  ["", "an empty text is not an address; try http://127.0.0.1:41242"],
  ["ws://agent.test/ws", "use the agent's, such as http://agent.test/, with transport"],
  ["file:///tmp/card.json", "use one that begins with http:// or https://"],
  ["http://me:secret@agent.test/", "pass `token` or `headers`"],
])("connect refuses the address %j and says what to use instead", async (wrong, message) => {
  const reason = await connect(wrong).catch((error: unknown) => error);

  expect(reason).toBeInstanceOf(SetupError);
  expect(String(reason)).toContain(message);
  expect(String(reason)).not.toContain("secret");
});

test.each([new URL(url), `${url}.well-known/agent-card.json`])(
  "connect accepts %s as an address",
  async (given) => {
    const requested: string[] = [];
    const fetch = async (input: unknown) => {
      requested.push(String(input));
      return Response.json(cardWith({}));
    };

    await connect(given, { fetch });

    expect(requested).toEqual(["http://agent.test/.well-known/agent-card.json"]);
  },
);

test.each([
  [{ version: "2.0" }, 'version: "2.0" is unknown; use one of "1.0", "0.3"'],
  [{ transport: "grpc" }, 'transport: "grpc" is unknown; use one of "sse", "websocket", "auto"'],
  [{ dialect: "gemeni" }, 'dialect: "gemeni" is unknown; use one of "canonical", "gemini"'],
])("connect refuses the unknown value in %j and lists the known ones", async (options, message) => {
  expect(await reasonOf(card({}), options)).toContain(message);
});

const broken =
  (code: string, message = "") =>
  () => {
    throw new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) });
  };

test.each([
  ["SELF_SIGNED_CERT_IN_CHAIN", "NODE_EXTRA_CA_CERTS"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "NODE_EXTRA_CA_CERTS"],
  ["CERT_HAS_EXPIRED", "is not valid today (CERT_HAS_EXPIRED); renew it, or correct the clock"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "is for another name; use one of its names"],
  ["ENOTFOUND", "the name agent.test cannot be found; correct it in http://agent.test/"],
  ["ECONNREFUSED", "no agent answers at http://agent.test/; is it running? Nothing listens"],
  ["ECONNRESET", "use https://agent.test/, else read its log"],
  ["UND_ERR_CONNECT_TIMEOUT", "did not answer in time"],
  ["EHOSTUNREACH", "firewall"],
  ["HPE_INVALID_CONSTANT", "is not an HTTP server; correct the port"],
  ["EMFILE", "is it running? (EMFILE: too many)"],
])("the error for %s says what to do", async (code, message) => {
  expect(await reasonOf(broken(code, "too many"))).toContain(message);
});

test("on a platform without a WebSocket, the error says to pass a WebSocket implementation [PKG-03]", async () => {
  const agent = createFakeAgent();
  const own = Object.getOwnPropertyDescriptor(globalThis, "WebSocket");
  Reflect.deleteProperty(globalThis, "WebSocket");
  try {
    const connecting = connect(agent.url, { fetch: agent.fetch, transport: "websocket" });

    await expect(connecting).rejects.toThrow("pass one as `WebSocket`");
  } finally {
    if (own !== undefined) Object.defineProperty(globalThis, "WebSocket", own);
  }
});

test.each([
  ["a line break in the name", { clientName: "a\nb" }, "clientName has a control character"],
  ["a line break in the token", { token: "secret\n" }, "the token has a blank, a line break"],
  [
    "a line break in the token that a function returns",
    { token: () => "secret\n" },
    "the token has a blank",
  ],
])("connect refuses %s, and the error does not repeat the value", async (_, options, message) => {
  const errorText = await reasonOf(card({}), options);

  expect(errorText).toContain(message);
  expect(errorText).not.toContain("secret");
});

test("a signal aborts connect() while it fetches the card", async () => {
  const abort = new AbortController();
  const fetch: typeof globalThis.fetch = (_, init) =>
    new Promise((__, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      abort.abort(new Error("enough"));
    });

  await expect(connect(url, { fetch, signal: abort.signal })).rejects.toThrow("enough");
});

test("a signal aborts connect() while it waits for a token", async () => {
  const abort = new AbortController();
  const token = () => {
    abort.abort(new Error("enough"));
    return new Promise<string>(() => {});
  };

  await expect(connect(url, { token, signal: abort.signal })).rejects.toThrow("enough");
});

test.each(["before the card arrives", "while the card arrives"])(
  "connect rejects with the reason of a signal that aborts %s",
  async (when) => {
    const abort = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode("{"));
        abort.abort(new Error("enough"));
      },
    });
    const fetch = async () => {
      if (when === "while the card arrives") return new Response(body);
      abort.abort(new Error("enough"));
      throw new TypeError("fetch failed");
    };

    const reason = await connect(url, { fetch, signal: abort.signal }).catch((error) => error);

    expect(reason).toBe(abort.signal.reason);
  },
);

test("an invalid header is reported as such, and not as an unreachable agent", async () => {
  const connecting = connect("http://127.0.0.1:41242", { headers: { "not a name": "x" } });

  await expect(connecting).rejects.toThrow("correct `headers`");
});

test("a card that is cut off is reported as an unreachable agent", async () => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.error(new TypeError("terminated")),
  });

  expect(await reasonOf(() => new Response(body))).toContain("no agent answers at");
});
