import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * True if a push comes from the agent and is recent.
 *
 * `header` is the `X-DT-Signature` header and `body` the raw body. `key` is the HMAC credentials of the push
 * config, or the agent's own secret (`DT_PUSH_SECRET`) if the config has none.
 */
export function isGenuine(header: string, body: string, key: string): boolean {
  // region: snippet
  const [, time, mac = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  const good = createHmac("sha256", key).update(`${time}.${body}`).digest();
  return Date.now() / 1000 - Number(time) < 300 && timingSafeEqual(Buffer.from(mac, "hex"), good);
  // endregion
}
