import type { LookupAddress } from "node:dns";
import {
  type AllowList,
  hostOf,
  isAddress,
  isLocalName,
  isLoopbackAddress,
  isPublicAddress,
} from "@dt/schema/address";

/** Which addresses a session may connect to for servers that a client named. */
export interface AddressRules {
  /** Hosts and addresses beside the public internet that the operator allows. */
  readonly allowList: AllowList;
  /** Whether this machine may be named: true if the client itself connected over loopback. */
  readonly allowsLoopback: boolean;
  /** Finds every address of a name. */
  resolveName(host: string): Promise<readonly LookupAddress[]>;
}

/** An address that a client's server may not have. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

/** Parses the address of a server; throws {@link AddressRefused} if its text alone rules it out. */
export function checkServerUrl(text: string, rules: AddressRules): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new AddressRefused("its url is not a whole http or https address");
  }
  if (url.username !== "" || url.password !== "") {
    throw new AddressRefused("its url holds a user name or a password; send them in a header");
  }
  const host = hostOf(url);
  if (isAddress(host)) checkAddresses(host, [host], rules);
  else if (isLocalName(host)) checkAddresses(host, ["127.0.0.1"], rules);
  return url;
}

/**
 * Finds the addresses to connect to, all of them judged; throws {@link AddressRefused}.
 *
 * The connection goes to one of these: a name that resolves to another address later gains nothing.
 */
export async function resolveServer(
  url: URL,
  rules: AddressRules,
): Promise<readonly LookupAddress[]> {
  const host = hostOf(url);
  if (isAddress(host)) {
    checkAddresses(host, [host], rules);
    return [{ address: host, family: host.includes(":") ? 6 : 4 }];
  }
  const found = await rules.resolveName(host);
  checkAddresses(
    host,
    found.map(({ address }) => address),
    rules,
  );
  return found;
}

function checkAddresses(host: string, addresses: readonly string[], rules: AddressRules): void {
  const { allowList, allowsLoopback } = rules;
  if (allowList.hasHost(host)) return;
  // A name that someone else controls must not lead to this machine: loopback is named as such.
  const namesLoopback = isAddress(host) || isLocalName(host);
  const isFine = (address: string) =>
    isPublicAddress(address) ||
    allowList.hasAddress(address) ||
    (allowsLoopback && namesLoopback && isLoopbackAddress(address));
  if (addresses.length > 0 && addresses.every(isFine)) return;
  const isLocal = namesLoopback && addresses.every(isLoopbackAddress);
  throw new AddressRefused(
    isLocal
      ? `${host} is this machine, which only a client on this machine may name; DT_MCP_ALLOW allows it to others`
      : `${host} is on this machine or a private network; DT_MCP_ALLOW allows it`,
  );
}
