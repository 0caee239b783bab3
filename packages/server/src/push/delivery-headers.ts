import { createHmac } from "node:crypto";
import type { ExtensionUris } from "@dt/schema";
import { spellings } from "@dt/schema/wire";
import { extensionHeaders } from "../rpc/extension-headers.js";
import type { PushTarget } from "../store/push-record.js";
import type { PushDelivery } from "./next-delivery.js";

/** Options of {@link buildHeaders}. */
export interface CallFacts {
  readonly target: PushTarget;
  readonly uris: ExtensionUris;
  /** Number of this attempt at the delivery, from 1. */
  readonly attempt: number;
  /** Time of the call, in ms. */
  readonly now: number;
  /** Key that signs the calls of configs without HMAC credentials. */
  readonly secret?: string;
}

/** Scheme whose credentials sign the call and are never sent. */
const SIGNING_SCHEME = "HMAC";
/** Schemes whose credentials are sent. The credentials of other schemes may be keys that must never be sent. */
const SENT_SCHEMES: readonly string[] = ["BEARER", "BASIC"];

/** Builds the headers of a call. */
export function buildHeaders(delivery: PushDelivery, facts: CallFacts): Record<string, string> {
  const { target, uris, attempt, now } = facts;
  const { version, developmentTool, session } = target;
  const sent = {
    ...(target.token !== undefined && { "X-A2A-Notification-Token": target.token }),
    ...authorizationOf(target),
  };
  const key = findSigningKey(facts, sent);
  return {
    "Content-Type": spellings[version].push.contentType,
    "User-Agent": "dt",
    "A2A-Version": version,
    ...extensionHeaders({ uris, developmentTool, session }, version),
    "X-DT-Cursor": delivery.cursor,
    "X-DT-Delivery": delivery.id,
    "X-DT-Attempt": String(attempt),
    ...sent,
    ...(key !== undefined && { "X-DT-Signature": sign(delivery.body, key, now) }),
  };
}

/** Signs a body as `t=<seconds>,v1=<hex>`: HMAC-SHA256 over the seconds, a dot and the body. */
export function sign(body: string, key: string, now: number): string {
  const seconds = Math.floor(now / 1_000);
  const mac = createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${mac}`;
}

/**
 * Finds the signing key of the config or the server. A key that the call itself contains is not used, because anybody
 * who reads the call could sign with it.
 */
function findSigningKey(
  { target, secret }: CallFacts,
  sent: Readonly<Record<string, string>>,
): string | undefined {
  const own = hasSigningSecret(target) ? target.authentication?.credentials : undefined;
  const key = own ?? secret;
  if (key === undefined || isInUrl(key, target.url)) return undefined;
  return Object.values(sent).some((value) => value.includes(key)) ? undefined : key;
}

function authorizationOf(target: PushTarget): Record<string, string> {
  const { credentials } = target.authentication ?? {};
  const scheme = findSentScheme(target);
  if (scheme === undefined || credentials === undefined) return {};
  return { Authorization: `${scheme} ${credentials}` };
}

/**
 * Finds the scheme whose credentials are sent. Returns undefined if the config names neither Bearer nor
 * Basic, or if its credentials sign the call.
 */
export function findSentScheme(target: Pick<PushTarget, "authentication">): string | undefined {
  if (hasSigningSecret(target)) return undefined;
  return target.authentication?.schemes.find((each) => SENT_SCHEMES.includes(each.toUpperCase()));
}

/** Returns true if a URL contains a secret, either unchanged or percent-encoded. */
export function isInUrl(secret: string, url: string): boolean {
  return [secret, encodeURIComponent(secret), encodeURI(secret)].some((form) => url.includes(form));
}

/** Returns true if the credentials of a config sign its calls. */
export function hasSigningSecret({ authentication }: Pick<PushTarget, "authentication">): boolean {
  return authentication?.schemes.some((each) => each.toUpperCase() === SIGNING_SCHEME) === true;
}
