import type { Role } from "@dt/schema";
import type { Pairing } from "@dt/server";
import type { HostReply } from "../screen/state/host-command.js";
import type { EndpointOptions } from "./endpoint-options.js";
import { createShareLink, type ShareLink } from "./share-link.js";

/** Shows devices how to pair with the session of this process. */
export interface EndpointSharing {
  /**
   * Offers a role to the next device; resolves with the link and its QR code. Opens the endpoint if it is
   * closed.
   */
  share(role: Role): Promise<HostReply>;
}

/** Options of {@link createEndpointSharing}. */
export interface SharingOptions {
  readonly pairing: Pick<Pairing, "offer">;
  readonly endpoint: EndpointOptions;
  /** Opens the endpoint if it is closed. */
  open(): Promise<{ readonly url: string }>;
  /** Lists the addresses of this machine, without loopback. */
  listAddresses(): readonly string[];
}

/** Creates the sharing of a session. */
export function createEndpointSharing(options: SharingOptions): EndpointSharing {
  const { pairing, endpoint, open, listAddresses } = options;
  return {
    async share(role) {
      const { url } = await open();
      const { publicUrl } = endpoint;
      const link = createShareLink(
        { url, publicUrl, addresses: listAddresses() },
        pairing.offer(role),
      );
      // The module is loaded only here, because most sessions never show a link.
      const { qrRows } = await import("./qr-rows.js");
      return { text: describeLink(link, role), picture: qrRows(link.url) };
    },
  };
}

function describeLink({ url, isOnlyHere, otherHosts }: ShareLink, role: Role): string {
  return [
    `open ${url} to pair one device with the role ${role}; the link works once and for ten minutes`,
    ...(isOnlyHere
      ? [
          "only this machine can use this link; for other devices, start dt with --host ADDRESS or set DT_PUBLIC_URL",
        ]
      : []),
    ...(otherHosts.length > 0 ? [`other addresses of this machine: ${otherHosts.join(", ")}`] : []),
  ].join("\n");
}
