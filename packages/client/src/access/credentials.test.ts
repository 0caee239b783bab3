import { expect, test } from "vitest";
import { isTransportError } from "../errors/transport-error.js";
import { createCredentials } from "./credentials.js";
import { checkToken, toHeaderText } from "./header-text.js";

const request = { wasRefused: false };

test.each([
  ["no options", {}, {}, false],
  ["a token", { token: "t" }, { Authorization: "Bearer t" }, false],
  ["an undefined token", { token: undefined }, {}, false],
  ["headers", { headers: { "X-Key": "k" } }, { "X-Key": "k" }, false],
  [
    "a token and an Authorization header",
    { token: "t", headers: { Authorization: "Own" } },
    { Authorization: "Own" },
    false,
  ],
  ["a token function", { token: () => "t" }, { Authorization: "Bearer t" }, true],
  ["an async token function", { token: async () => "t" }, { Authorization: "Bearer t" }, true],
  ["a token function that returns no token", { token: () => undefined }, {}, true],
  ["a headers function", { headers: async () => ({ "X-Key": "k" }) }, { "X-Key": "k" }, true],
])(
  "createCredentials computes headers and canRefresh from %s",
  async (_, options, headers, canRefresh) => {
    const credentials = createCredentials(options);

    expect(await credentials.headers(request)).toEqual(headers);
    expect(credentials.canRefresh).toBe(canRefresh);
  },
);

test("a token function is called with wasRefused after the agent refused its last value", async () => {
  const seen: boolean[] = [];
  const credentials = createCredentials({
    token: ({ wasRefused }) => {
      seen.push(wasRefused);
      return wasRefused ? "new" : "old";
    },
  });

  expect(await credentials.token({ wasRefused: false })).toBe("old");
  expect(await credentials.token({ wasRefused: true })).toBe("new");
  expect(seen).toEqual([false, true]);
});

test("a failed fetch of credentials becomes a TransportError, and any other error is rethrown", async () => {
  const offline = createCredentials({
    token: () => Promise.reject(new TypeError("fetch failed")),
  });
  const broken = createCredentials({ headers: () => Promise.reject(new Error("no vault")) });

  const failure = await offline.headers(request).catch((reason: unknown) => reason);

  expect(isTransportError(failure) && failure.reason).toBe("unreachable");
  await expect(broken.headers(request)).rejects.toThrow("no vault");
});

test.each(["s3 cret", "s3\ncret", "s3ä", "s3\u007f"])(
  "the token %j is refused, and the error does not contain it",
  async (token) => {
    expect(() => checkToken(token)).toThrow("the token has a blank");
    expect(() => checkToken(token)).not.toThrow(token);
    await expect(createCredentials({ token }).token(request)).rejects.toThrow("the token has");
  },
);

test.each([
  ["IDE", "IDE"],
  ["my IDE!", "my IDE!"],
  ["Zoë", "Zo%C3%AB"],
  ["100%", "100%25"],
])("the name %j is encoded in a header as %j", (name, text) => {
  expect(toHeaderText(name)).toBe(text);
});

test.each(["a\nb", "a\u0000", "\u007f"])(
  "the name %j is refused for its control character",
  (name) => {
    expect(() => toHeaderText(name)).toThrow("client-name");
  },
);
