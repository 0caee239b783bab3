import { createHmac } from "node:crypto";
import type { ExtensionUris } from "@dt/schema";
import { extensionHeaders } from "../rpc/extension-headers.js";
import type { PushTarget } from "../store/push-record.js";
import { type Delivery, dialectOf } from "./next-delivery.js";

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

/** Everything that a call says beside its body. */
export function buildHeaders(delivery: Delivery, facts: CallFacts): Record<string, string> {
  const { target, uris, attempt, now } = facts;
  const { spelling, activation } = dialectOf(target, uris);
  const key = findSigningKey(facts);
  return {
    "Content-Type": spelling.push.contentType,
    "User-Agent": "dt",
    "A2A-Version": target.version,
    ...extensionHeaders(activation, target.version),
    "X-DT-Cursor": delivery.cursor,
    "X-DT-Delivery": delivery.id,
    "X-DT-Attempt": String(attempt),
    ...(target.token !== undefined && { "X-A2A-Notification-Token": target.token }),
    ...authorizationOf(target),
    ...(key !== undefined && { "X-DT-Signature": sign(delivery.body, key, now) }),
  };
}

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 over the seconds, a dot and the body. */
export function sign(body: string, key: string, now: number): string {
  const seconds = Math.floor(now / 1_000);
  const mac = createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${mac}`;
}

/** The key of a config: a secret that only signs, else its token, else the server's own. */
function findSigningKey({ target, secret }: CallFacts): string | undefined {
  const { authentication, token } = target;
  return (hasSigningSecret(target) ? authentication?.credentials : undefined) ?? token ?? secret;
}

function authorizationOf(target: PushTarget): Record<string, string> {
  const { schemes: [scheme] = [], credentials } = target.authentication ?? {};
  if (scheme === undefined || credentials === undefined || hasSigningSecret(target)) return {};
  return { Authorization: `${scheme} ${credentials}` };
}

/** Whether the credentials of a config sign its calls. */
export function hasSigningSecret({ authentication }: Pick<PushTarget, "authentication">): boolean {
  return authentication?.schemes.some((each) => each.toUpperCase() === SIGNING_SCHEME) === true;
}
