import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * Finds the address of a client. With `trustsProxy`, this is the last address in `X-Forwarded-For`, which the
 * proxy in front of the server has added; the client may have written the addresses before it. Without
 * `trustsProxy` or such an address, it is the address of the socket. No other header is used.
 */
export function findClientAddress(
  { headers, socket }: Pick<IncomingMessage, "headers" | "socket">,
  { trustsProxy = false }: { readonly trustsProxy?: boolean },
): string | undefined {
  const forwarded = trustsProxy ? headers["x-forwarded-for"] : undefined;
  const last =
    String(forwarded ?? "")
      .split(",")
      .at(-1)
      ?.trim() ?? "";
  return isIP(last) === 0 ? socket.remoteAddress : last;
}
