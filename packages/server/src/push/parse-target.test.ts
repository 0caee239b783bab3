import { DEFAULT_EXTENSION_URIS as uris } from "@dt/schema";
import { parseAllowList } from "@dt/schema/address";
import { type A2aPushConfig, spellings } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { createAddressGuard } from "./address/address-guard.js";
import { parseTarget } from "./parse-target.js";

const guard = createAddressGuard({
  allowList: parseAllowList(["10.0.0.0/8"]),
  resolveName: () => Promise.reject(new Error("a name was resolved")),
});
const client = {
  spelling: spellings["0.3"],
  activation: { uris, developmentTool: true, session: false },
};
const url = "https://example.com/hook";
const parse = (config: A2aPushConfig, path = "") => parseTarget(config, path, { client, guard });

test("a target has the version and extensions of its client", () => {
  const authentication = { schemes: ["Bearer"], credentials: "key with spaces" };
  const metadata = { [uris.session]: { all_events: true } };

  expect(parse({ url: `${url}#top`, token: "t", authentication, metadata })).toEqual({
    url,
    token: "t",
    authentication,
    version: "0.3",
    developmentTool: true,
    session: false,
    allEvents: true,
  });
  expect(parse({ url: "http://10.1.2.3:80/" })).toEqual({
    url: "http://10.1.2.3/",
    version: "0.3",
    developmentTool: true,
    session: false,
    allEvents: false,
  });
});

const REFUSED: readonly [A2aPushConfig, string][] = [
  [{ url: "nonsense" }, "url: expected an absolute http or https URL"],
  [{ url: "/hook" }, "url: expected an absolute http or https URL"],
  [{ url: "ftp://example.com" }, "url: expected an absolute http or https URL"],
  [{ url: "file:///etc/passwd" }, "url: expected an absolute http or https URL"],
  [{ url: "gopher://example.com" }, "url: expected an absolute http or https URL"],
  [{ url: "http://[fe80::1%25eth0]/" }, "url: expected an absolute http or https URL"],
  [{ url: "https://me:pw@example.com" }, "url: must not contain a user name or password"],
  [{ url: "https://me@example.com" }, "url: must not contain a user name or password"],
  [{ url: "https://:pw@example.com" }, "url: must not contain a user name or password"],
  [{ url: "http://127.0.0.1:9" }, "url: 127.0.0.1 is on this machine or a private network"],
  [{ url: "http://2130706433" }, "url: 127.0.0.1 is on this machine or a private network"],
  [{ url: "http://localhost:9" }, "url: localhost is on this machine or a private network"],
  [{ url: "http://[::1]:9" }, "url: ::1 is on this machine or a private network"],
  [{ url, token: "a\r\nX-Evil: 1" }, "token: expected printable ASCII"],
  [{ url, token: " a" }, "token: expected printable ASCII"],
  [{ url, token: "é" }, "token: expected printable ASCII"],
  [
    { url, authentication: { schemes: Array(17).fill("Bearer"), credentials: "key" } },
    "authentication: more than 16 schemes",
  ],
  [
    { url, authentication: { schemes: ["Bearer"], credentials: "a\nb" } },
    "authentication.credentials: expected printable ASCII",
  ],
  [
    { url, authentication: { schemes: ["Bea rer"], credentials: "a" } },
    "authentication: expected an HTTP authentication scheme such as Bearer",
  ],
  [
    { url, token: "a", authentication: { schemes: ["hmac"] } },
    "authentication.credentials: required, because the scheme HMAC signs with them",
  ],
  [
    { url, authentication: { schemes: ["HMAC-SHA256"], credentials: "a" } },
    "authentication: expected the scheme Bearer or Basic, or HMAC to sign with the credentials",
  ],
  [
    { url, authentication: { schemes: [], credentials: "a" } },
    "authentication: expected the scheme Bearer or Basic, or HMAC to sign with the credentials",
  ],
  [
    { url, token: "same", authentication: { schemes: ["HMAC"], credentials: "same" } },
    "authentication.credentials: must not be part of the token or the url, which are sent",
  ],
  [
    { url: `${url}?k=a%20b`, authentication: { schemes: ["HMAC"], credentials: "a b" } },
    "authentication.credentials: must not be part of the token or the url, which are sent",
  ],
  [
    { url, metadata: { [uris.session]: { all_events: "yes" } } },
    `metadata["${uris.session}"].all_events: expected true or false`,
  ],
  [{ url, metadata: { [uris.session]: 1 } }, `metadata["${uris.session}"]: expected an object`],
];

test.each(REFUSED.map(([config, reason]) => ({ url: config.url, config, reason })))(
  "a push config with the url $url is refused with $reason",
  ({ config, reason }) => {
    expect(() => parse(config)).toThrow(reason);
    expect(() => parse(config, "configuration.push")).toThrow(`configuration.push.${reason}`);
  },
);

test.each<[string, number, A2aPushConfig]>([
  ["url", 2_048, { url: `${url}?${"x".repeat(2_048)}` }],
  ["id", 256, { url, id: "x".repeat(257) }],
  ["token", 8_192, { url, token: "x".repeat(8_193) }],
])("a push config is refused if its %s is longer than %i characters", (field, length, config) => {
  const reason = `${field}: longer than ${length} characters`;

  expect(() => parse(config)).toThrow(reason);
  expect(() => parse(config, "configuration.push")).toThrow(`configuration.push.${reason}`);
});

test("an id, url, token and scheme of the maximum length are accepted", () => {
  const config = {
    id: "x".repeat(256),
    url: `${url}?${"x".repeat(2_048 - url.length - 1)}`,
    token: "x".repeat(8_192),
    authentication: { schemes: ["Bearer", "x".repeat(64)], credentials: "y" },
  };

  expect(parse(config)).toMatchObject({ url: config.url, token: config.token });
});

test("a config can ask for all events under the URI of the session extension without a minor version", () => {
  const metadata = { [uris.session.replace(/v0\.\d+$/, "v0")]: { all_events: true } };

  expect(parse({ url, metadata }).allEvents).toBe(true);
});
