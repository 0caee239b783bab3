import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Returns true if a push comes from the agent and is recent.
 *
 * `header` is the `X-DT-Signature` header, and `body` is the raw body. `key` is the HMAC secret in the
 * credentials of the push config; if the config has no HMAC secret, `key` is the agent's own secret
 * (`DT_PUSH_SECRET`).
 */
export function isGenuine(header: string, body: string, key: string): boolean {
  // region: snippet
  const [, time, mac = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  const good = createHmac("sha256", key).update(`${time}.${body}`).digest();
  return Date.now() / 1000 - Number(time) < 300 && timingSafeEqual(Buffer.from(mac, "hex"), good);
  // endregion
}
