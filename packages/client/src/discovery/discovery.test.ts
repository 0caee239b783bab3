import { buildCardEntries, defaultExtensionUris, type JsonObject } from "@dt/schema";
import { expect, test } from "vitest";
import { connect } from "../connect.js";
import { SetupError } from "../errors/setup-error.js";
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
const card = (overrides: JsonObject) => () => Response.json(cardWith(overrides));
const newer = {
  capabilities: {
    extensions: [{ uri: defaultExtensionUris.developmentTool.replace("/v0/", "/v1/") }],
  },
};

test.each<[string, () => Response, string, object?]>([
  ["nobody is there", offline, "no agent answers at http://agent.test/; is it running?"],
  ["it is no agent", () => new Response("", { status: 404 }), "answered 404; is it an A2A agent?"],
  ["it is a web page", () => new Response("<html>"), "is not an agent card"],
  ["it wants a token", () => new Response("", { status: 401 }), "pass a token"],
  ["it has no extension", card({ capabilities: {} }), "does not declare the extension"],
  [
    "its version does not fit",
    card(newer),
    "the agent speaks v1 of the extension, this client speaks v0",
  ],
  ["it speaks another A2A", card({}), "leave out `version`", { version: "1.0" }],
  ["it has no socket", card({}), 'use transport: "sse"', { transport: "websocket" }],
])("an error says what to do where %s [RFC-05]", async (_, answer, message, options) => {
  expect(await reasonOf(answer, options)).toContain(message);
});

test("a token that was given for an encrypted address is not sent to another kind", async () => {
  const fetch = async () => Response.json(cardWith({}));
  const secure = "https://agent.test/";

  const client = await connect(secure, { fetch, token: "secret", keepsOrigin: true });

  await expect(connect(secure, { fetch, token: "secret" })).rejects.toThrow(
    "where your token could be read on the way",
  );
  expect(client.version).toBe("0.3");
});

test("a relative address in a card is one below the card's own", async () => {
  const asked: string[] = [];
  const fetch = async (input: unknown) => {
    asked.push(String(input));
    return Response.json(cardWith({ url: "/a2a" }));
  };

  const client = await connect(url, { fetch, reconnect: { baseMs: 1, maxMs: 1, maxAttempts: 1 } });
  await client.commands().catch(() => {});

  expect(asked.at(-1)).toBe("http://agent.test/a2a");
});

test.each(["http://", "mailto:a@b"])("%s in a card is said to be no address", async (listed) => {
  expect(await reasonOf(card({ url: listed }))).toContain("which is no address; correct the card");
});

test("an address that is none is said to be none", async () => {
  await expect(connect("localhost")).rejects.toThrow("localhost is not an address");
});

test("a platform without a WebSocket is told to pass one [PKG-03]", async () => {
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
  ["a line break in the name", { clientName: "a\nb" }, "clientName has a line break"],
  ["a line break in the token", { token: "secret\n" }, "the token has a blank, a line break"],
  ["one in a token that is fetched", { token: () => "secret\n" }, "the token has a blank"],
])("%s is said to be one", async (_, options, message) => {
  const said = await reasonOf(card({}), options);

  expect(said).toContain(message);
  expect(said).not.toContain("secret");
});

test("a signal gives up connecting", async () => {
  const abort = new AbortController();
  const fetch: typeof globalThis.fetch = (_, init) =>
    new Promise((__, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      abort.abort(new Error("enough"));
    });

  await expect(connect(url, { fetch, signal: abort.signal })).rejects.toThrow("enough");
});

test("a signal gives up waiting for a token", async () => {
  const abort = new AbortController();
  const token = () => {
    abort.abort(new Error("enough"));
    return new Promise<string>(() => {});
  };

  await expect(connect(url, { token, signal: abort.signal })).rejects.toThrow("enough");
});
