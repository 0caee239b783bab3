import { type ExtensionUris, failAt, findExtensionValue, parseMessage } from "@dt/schema";
import type { A2aPushAuthentication, A2aPushConfig } from "@dt/schema/wire";
import type { PushClient } from "../rpc/push/push-port.js";
import type { PushTarget } from "../store/push-record.js";
import { type AddressGuard, AddressRefused } from "./address/address-guard.js";
import { findSentScheme, hasSigningSecret, isInUrl } from "./delivery-headers.js";

const MAX_ID_LENGTH = 256;
const MAX_URL_LENGTH = 2_048;
const MAX_SECRET_LENGTH = 8_192;
/** Maximum number of schemes. The config is read again for each delivery, and HTTP has fewer schemes in all. */
const MAX_SCHEMES = 16;

/** Converts a client's push config to a target, without resolving names. Throws with the path of a fault. */
export function parseTarget(
  config: A2aPushConfig,
  path: string,
  { client, guard }: { readonly client: PushClient; readonly guard: AddressGuard },
): PushTarget {
  const at = (key: string) => (path === "" ? key : `${path}.${key}`);
  const { spelling, activation } = client;
  const { id = "", token, authentication } = config;
  if (id.length > MAX_ID_LENGTH) failAt(at("id"), `longer than ${MAX_ID_LENGTH} characters`);
  if (token !== undefined) checkHeaderValue(token, at("token"));
  if (authentication?.credentials !== undefined) {
    checkHeaderValue(authentication.credentials, at("authentication.credentials"));
  } else if (authentication !== undefined && hasSigningSecret({ authentication })) {
    failAt(at("authentication.credentials"), "required, because the scheme HMAC signs with them");
  }
  const { schemes = [] } = authentication ?? {};
  if (schemes.length > MAX_SCHEMES)
    failAt(at("authentication"), `more than ${MAX_SCHEMES} schemes`);
  for (const scheme of schemes) {
    if (!/^[\w!#$%&'*+.^`|~-]{1,64}$/.test(scheme)) {
      failAt(at("authentication"), "expected an HTTP authentication scheme such as Bearer");
    }
  }
  const url = parseUrl(config.url, at("url"), guard);
  if (authentication?.credentials !== undefined) {
    checkCredentials(authentication, [url, token ?? ""], at("authentication"));
  }
  return {
    url,
    ...(token !== undefined && { token }),
    ...(authentication !== undefined && { authentication }),
    version: spelling.version,
    developmentTool: activation.developmentTool,
    session: activation.session,
    allEvents: readAllEvents(config, at("metadata"), activation.uris),
  };
}

// Checks that credentials are either sent or used to sign, but not both. Anybody who reads a call could sign with a
// secret that the call contains.
function checkCredentials(
  authentication: A2aPushAuthentication,
  [url, token]: readonly [url: string, token: string],
  path: string,
): void {
  const { credentials = "" } = authentication;
  if (!hasSigningSecret({ authentication })) {
    if (findSentScheme({ authentication }) !== undefined) return;
    failAt(path, "expected the scheme Bearer or Basic, or HMAC to sign with the credentials");
  }
  if (token.includes(credentials) || isInUrl(credentials, url)) {
    failAt(`${path}.credentials`, "must not be part of the token or the url, which are sent");
  }
}

function parseUrl(text: string, path: string, guard: AddressGuard): string {
  if (text.length > MAX_URL_LENGTH) failAt(path, `longer than ${MAX_URL_LENGTH} characters`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return failAt(path, "expected an absolute http or https URL");
  }
  if (url.username !== "" || url.password !== "") {
    failAt(path, "must not contain a user name or password; use authentication");
  }
  try {
    guard.check(url);
  } catch (reason) {
    if (!(reason instanceof AddressRefused)) throw reason;
    failAt(path, `${reason.message}; only the operator of this agent can allow that`);
  }
  url.hash = "";
  return url.href;
}

// Checks a value that is sent as a header. A line break would end the header early, and spaces around the value would
// be removed on the way.
function checkHeaderValue(value: string, path: string): void {
  if (value.length > MAX_SECRET_LENGTH) failAt(path, `longer than ${MAX_SECRET_LENGTH} characters`);
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)) {
    failAt(path, "expected printable ASCII without spaces at the ends");
  }
}

function readAllEvents({ metadata }: A2aPushConfig, path: string, uris: ExtensionUris): boolean {
  const value = findExtensionValue(metadata, uris.session, "client") ?? undefined;
  if (value === undefined) return false;
  const key = `${path}[${JSON.stringify(uris.session)}]`;
  return parseMessage("PushConfigInfo", value, key).allEvents;
}
