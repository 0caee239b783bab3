import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { ProtocolError } from "@dt/schema";
import { expect, test } from "vitest";
import { createCallerFinder } from "./find-caller.js";
import { findLocalCaller } from "./local-caller.js";
import { createLocalToken } from "./local-token.js";

const own = { remoteAddress: "127.0.0.1", localAddress: "127.0.0.1" };
const other = { remoteAddress: "10.0.0.6", localAddress: "10.0.0.5" };

function requestOf(headers: Record<string, string> = {}, socket: object = own, url = "/") {
  const request = Object.assign(new IncomingMessage(new Socket()), { headers, url });
  return Object.assign(request, { socket }) as IncomingMessage;
}

const ada = { user: "ada", name: "ada/laptop", role: "approve" } as const;
const web = { user: "jwt:i#s", name: "Web", role: "observe" } as const;
const custom = { user: "custom", name: "Custom", role: "prompt" } as const;
const tokens = {
  async authenticate(token: string) {
    if (token === "dt_good") return ada;
    throw new ProtocolError("unauthenticated", "the token is not valid; use another one");
  },
};
const jwt = {
  findToken: ({ headers }: IncomingMessage) => headers["x-jwt"]?.toString(),
  authenticate: async () => web,
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test("a token of dt is used even if the request has other proofs of identity [SEC-02]", async () => {
  const find = createCallerFinder({
    tokens,
    jwt,
    authenticate: () => custom,
    isAuthRequired: false,
  });

  expect(await find(requestOf({ ...bearer("dt_good"), "x-jwt": "x" }))).toEqual(ada);
  await expect(find(requestOf(bearer("dt_bad")))).rejects.toThrow("is not valid");
  expect(await find(requestOf({ ...bearer("other"), "x-jwt": "x" }))).toEqual(web);
  expect(await find(requestOf(bearer("other")))).toEqual(custom);
});

test.each([
  ["Bearer half-a-token", "the token is malformed; send the whole token"],
  ["Basic YTpi", "the header Authorization is malformed; send it as Authorization: Bearer TOKEN"],
  ["dt_0123", "the header Authorization is malformed; send it as Authorization: Bearer TOKEN"],
])(
  'the error for "Authorization: %s" says what is malformed, not that a token is missing',
  (authorization, says) => {
    const find = createCallerFinder({ tokens, isAuthRequired: true });

    expect(() => find(requestOf({ authorization }))).toThrow(says);
    expect(find(requestOf())).toBeUndefined();
  },
);

test("a request without a token is from the local user only if it comes directly from this machine [SEC-02]", async () => {
  const find = createCallerFinder({ tokens, isAuthRequired: false });
  const local = { user: "local", name: "local", role: "admin" };

  expect(await find(requestOf())).toEqual(local);
  expect(await find(requestOf(bearer("not-ours")))).toEqual(local);
  for (const request of [requestOf({}, other), requestOf({ via: "1.1 proxy" })])
    expect(() => find(request)).toThrow(
      expect.objectContaining({
        code: "unauthenticated",
        message:
          "a request through a proxy, or from another machine, requires authentication; send a token",
      }),
    );
});

test("if authentication is required, a request without a token has no caller", async () => {
  const find = createCallerFinder({ tokens, isAuthRequired: true });

  expect(await find(requestOf())).toBeUndefined();
  expect(await find(requestOf(bearer("dt_good")))).toEqual(ada);
});

test("the token of an agent file is valid only on the machine of the agent [SEC-02]", async () => {
  const localToken = createLocalToken();
  const find = createCallerFinder({ tokens, localToken, isAuthRequired: true });
  const headers = { ...bearer(localToken.text), "x-dt-client": "Editor" };
  const lan = { remoteAddress: "10.0.0.5", localAddress: "10.0.0.5" };

  expect(localToken.text).toMatch(/^dt_local_[\w-]{43}$/);
  for (const socket of [own, lan])
    expect(await find(requestOf(headers, socket))).toEqual({
      user: "local",
      name: "Editor",
      role: "admin",
    });
  expect(() => find(requestOf(headers, other))).toThrow(
    expect.objectContaining({
      code: "unauthenticated",
      message:
        "the token of an agent file is only valid on the machine of the agent; use another one",
    }),
  );
  expect(await find(requestOf(bearer("dt_good")))).toEqual(ada);
  await expect(find(requestOf(bearer(createLocalToken().text)))).rejects.toThrow("is not valid");
});

test.each([
  ["no name", {}, "/", "local"],
  ["an encoded name", { "x-dt-client": "Zo%C3%AB%27s editor" }, "/", "Zoës editor"],
  ["a name that is not encoded correctly", { "x-dt-client": "100%" }, "/", "100"],
  ["a name in its URL", {}, "/ws?a=1&X-DT-Client=My%20page", "My page"],
  [
    "a name in its header and in its URL",
    { "x-dt-client": "header" },
    "/ws?x-dt-client=url",
    "header",
  ],
  ["control characters", { "x-dt-client": "a%1B%5B31mb" }, "/", "a31mb"],
  ["a long name", { "x-dt-client": "x".repeat(100) }, "/", "x".repeat(64)],
  ["the name of the terminal", { "x-dt-client": " Terminal " }, "/", "Terminal (client)"],
  ["only characters that a name cannot have", { "x-dt-client": "<>" }, "/", "local"],
])("a local request with %s has a name to show", (_, headers, url, name) => {
  expect(findLocalCaller(requestOf(headers as Record<string, string>, own, url))).toEqual({
    user: "local",
    name,
    role: "admin",
  });
});
