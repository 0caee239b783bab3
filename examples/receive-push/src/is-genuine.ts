import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Whether a push comes from the agent and is fresh.
 *
 * `header` is its `X-DT-Signature`, `body` its body as it came, `key` what the config was set with as
 * the credentials of the scheme HMAC, else the agent's own secret (`DT_PUSH_SECRET`).
 */
export function isGenuine(header: string, body: string, key: string): boolean {
  // region: snippet
  const [, time, mac = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  const good = createHmac("sha256", key).update(`${time}.${body}`).digest();
  return Date.now() / 1000 - Number(time) < 300 && timingSafeEqual(Buffer.from(mac, "hex"), good);
  // endregion
}
