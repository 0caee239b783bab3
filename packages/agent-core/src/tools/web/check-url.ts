import { hostOf, isAddress, isLocalName } from "@dt/schema/address";
import { ToolError } from "../../errors/tool-error.js";

/** True if an address may be fetched. */
export type AddressCheck = (address: string) => boolean;

/**
 * Parses a URL. Throws if its protocol is not http or https, or if it contains a user name or password.
 * Also throws if its host is this machine or a private address. Other host names are checked when they are
 * resolved.
 */
export function parseFetchUrl(text: string, isAllowed: AddressCheck): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ToolError("invalid_url", "the url must be a complete http or https address");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolError("invalid_url", "the url must not contain a user name or password");
  }
  const host = hostOf(url);
  const address = isLocalName(host) ? "127.0.0.1" : host;
  if (isAddress(address) && !isAllowed(address)) throw privateAddressError(host);
  return url;
}

/** Builds the error for a host that is this machine or has a private address. */
export function privateAddressError(host: string): ToolError {
  return new ToolError(
    "private_address",
    `${host} is on this machine or a private network; only public addresses are fetched`,
  );
}
