import type { LookupAddress } from "node:dns";
import {
  type AllowList,
  hostOf,
  isAddress,
  isLocalName,
  isLoopbackAddress,
  isPublicAddress,
} from "@dt/schema/address";

/** Rules for the addresses of MCP servers that a client names. */
export interface AddressRules {
  /** Hosts and addresses outside the public internet that the operator allows. */
  readonly allowList: AllowList;
  /** True if the URL may name this machine, because the client itself connected over loopback. */
  readonly allowsLoopback: boolean;
  /** Resolves a host name to all of its addresses. */
  resolveName(host: string): Promise<readonly LookupAddress[]>;
}

/** Thrown for a URL that is invalid, or whose address the rules do not allow. */
export class McpAddressRefused extends Error {
  override readonly name = "McpAddressRefused";
}

/** Parses the URL of a server and checks it without a DNS lookup; throws {@link McpAddressRefused}. */
export function checkServerUrl(text: string, rules: AddressRules): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new McpAddressRefused("its url is not an absolute http or https URL");
  }
  if (url.username !== "" || url.password !== "") {
    throw new McpAddressRefused(
      "its url contains a user name or a password; send them in a header",
    );
  }
  const host = hostOf(url);
  if (isAddress(host)) checkAddresses(host, [host], rules);
  else if (isLocalName(host)) checkAddresses(host, ["127.0.0.1"], rules);
  return url;
}

/**
 * Resolves the host of a server and checks every address; throws {@link McpAddressRefused}.
 *
 * The caller must connect to one of the returned addresses. It must not resolve the name again, because
 * the name could then resolve to another address.
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
  // Anyone can let a public name resolve to 127.0.0.1, so loopback is allowed only if the URL names it.
  const isLoopbackNamed = isAddress(host) || isLocalName(host);
  const isAllowed = (address: string) =>
    isPublicAddress(address) ||
    allowList.hasAddress(address) ||
    (allowsLoopback && isLoopbackNamed && isLoopbackAddress(address));
  if (addresses.length > 0 && addresses.every(isAllowed)) return;
  const isLocal = isLoopbackNamed && addresses.every(isLoopbackAddress);
  throw new McpAddressRefused(
    isLocal
      ? `${host} is this machine, but the client is on another one; add it to DT_MCP_ALLOW to allow it`
      : `${host} is on this machine or a private network; add it to DT_MCP_ALLOW to allow it`,
  );
}
