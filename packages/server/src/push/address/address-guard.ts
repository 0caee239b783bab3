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

/** Keeps pushes away from this machine and from private networks. */
export interface AddressGuard {
  /** Throws {@link AddressRefused} where the text of a URL tells already that it is not allowed. */
  check(url: URL): void;
  /**
   * Finds the address of a connection that is being made: what it judges is what is connected to, so
   * that a name which leads elsewhere the next time gains nothing.
   */
  readonly lookup: LookupFunction;
}

/** A receiver that lies where nobody may be called. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
  /** What its name led to; for the operator, not for the client that named it. */
  readonly addresses: readonly string[];

  constructor(host: string, addresses: readonly string[]) {
    super(`${host} is on this machine or a private network`);
    this.addresses = addresses;
  }
}

/** What a guard stands on. */
export interface AddressGuardOptions {
  readonly allowList: AllowList;
  readonly resolveName: ResolveName;
}

/** Opens a guard. Literal addresses and `localhost` need no name service to be judged. */
export function createAddressGuard({ allowList, resolveName }: AddressGuardOptions): AddressGuard {
  function judge(host: string, addresses: readonly string[]): void {
    if (allowList.hasHost(host)) return;
    const isFine = (address: string) => allowList.hasAddress(address) || isPublicAddress(address);
    if (addresses.length === 0 || !addresses.every(isFine)) {
      throw new AddressRefused(host, addresses);
    }
  }

  async function resolve(host: string): Promise<LookupAddress[]> {
    const addresses = await resolveName(host);
    judge(
      nameOf(host),
      addresses.map(({ address }) => address),
    );
    return [...addresses];
  }

  return {
    check(url) {
      const host = hostOf(url);
      if (isAddress(host)) judge(host, [host]);
      else if (isLocalName(host)) judge(host, ["127.0.0.1", "::1"]);
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

// The dot at the end of a full name is no part of it.
function nameOf(host: string): string {
  return host.replace(/\.$/, "");
}
