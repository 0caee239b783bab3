import { createHmac } from "node:crypto";
import type { ExtensionUris } from "@dt/schema";
import { spellings } from "@dt/schema/wire";
import { extensionHeaders } from "../rpc/extension-headers.js";
import type { PushTarget } from "../store/push-record.js";
import type { Delivery } from "./next-delivery.js";

/** What the headers of a call depend on beside what it tells. */
export interface CallFacts {
  readonly target: PushTarget;
  readonly uris: ExtensionUris;
  /** The number of this call for the same delivery, from 1 on. */
  readonly attempt: number;
  /** When it is made, in ms. */
  readonly now: number;
  /** Signs where the config brings no key of its own. */
  readonly secret?: string;
}

/** The scheme whose credentials sign, and are never sent. */
const SIGNING_SCHEME = "HMAC";
/** The schemes whose credentials are sent. Those of any other scheme may be meant to stay secret. */
const SENT_SCHEMES: readonly string[] = ["BEARER", "BASIC"];

/** Everything that a call says beside its body. */
export function buildHeaders(delivery: Delivery, facts: CallFacts): Record<string, string> {
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

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 over the seconds, a dot and the body. */
export function sign(body: string, key: string, now: number): string {
  const seconds = Math.floor(now / 1_000);
  const mac = createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${mac}`;
}

/** The key of a config: a secret that only signs, else the server's own; never one that is sent. */
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

/** The scheme whose credentials are sent; undefined if there is none, or if they sign. */
export function findSentScheme(target: Pick<PushTarget, "authentication">): string | undefined {
  if (hasSigningSecret(target)) return undefined;
  return target.authentication?.schemes.find((each) => SENT_SCHEMES.includes(each.toUpperCase()));
}

/** Whether a secret stands in an address, as it is or percent-encoded. */
export function isInUrl(secret: string, url: string): boolean {
  return [secret, encodeURIComponent(secret), encodeURI(secret)].some((form) => url.includes(form));
}

/** Whether the credentials of a config sign its calls. */
export function hasSigningSecret({ authentication }: Pick<PushTarget, "authentication">): boolean {
  return authentication?.schemes.some((each) => each.toUpperCase() === SIGNING_SCHEME) === true;
}
