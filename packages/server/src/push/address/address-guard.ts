import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import {
  type AllowList,
  hostOf,
  isAddress,
  isLocalName,
  isPublicAddress,
} from "@dt/schema/address";
import type { ResolveName } from "./resolve-name.js";

/** Refuses receivers on this machine and in private networks. */
export interface AddressGuard {
  /**
   * Throws {@link AddressRefused} if the host of a URL is an address or a local name that is not allowed.
   * Other names are checked by `lookup`, because they must be resolved first.
   */
  check(url: URL): void;
  /**
   * Resolves the host name of a connection and checks its addresses. The connection uses the checked addresses, so an
   * attacker cannot change them after the check.
   */
  readonly lookup: LookupFunction;
}

/** A receiver whose address is not allowed. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
  /** The addresses of the host, for the operator's log. Clients do not see them. */
  readonly addresses: readonly string[];

  constructor(host: string, addresses: readonly string[]) {
    super(`${host} is on this machine or a private network`);
    this.addresses = addresses;
  }
}

/** Options of {@link createAddressGuard}. */
export interface AddressGuardOptions {
  readonly allowList: AllowList;
  readonly resolveName: ResolveName;
}

/** Creates a guard. Hosts and addresses of the allow list are always allowed. */
export function createAddressGuard({ allowList, resolveName }: AddressGuardOptions): AddressGuard {
  function checkAddresses(host: string, addresses: readonly string[]): void {
    if (allowList.hasHost(host)) return;
    const isAllowed = (address: string) =>
      allowList.hasAddress(address) || isPublicAddress(address);
    if (addresses.length === 0 || !addresses.every(isAllowed)) {
      throw new AddressRefused(host, addresses);
    }
  }

  async function resolve(host: string): Promise<LookupAddress[]> {
    const addresses = await resolveName(host);
    checkAddresses(
      nameOf(host),
      addresses.map(({ address }) => address),
    );
    return [...addresses];
  }

  return {
    check(url) {
      const host = hostOf(url);
      if (isAddress(host)) checkAddresses(host, [host]);
      else if (isLocalName(host)) checkAddresses(host, ["127.0.0.1", "::1"]);
    },
    lookup(host, { all }, callback) {
      resolve(host).then(
        (addresses) => {
          const [first] = addresses;
          if (all === true) callback(null, addresses);
          else callback(null, first?.address ?? "", first?.family);
        },
        (reason: NodeJS.ErrnoException) => callback(reason, "", 0),
      );
    },
  };
}

// Removes the dot at the end of a fully qualified name.
function nameOf(host: string): string {
  return host.replace(/\.$/, "");
}
