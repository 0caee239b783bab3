import { hostOf, isAddress, isLocalName } from "@dt/schema/address";
import { ToolError } from "../../errors/tool-error.js";

/** Whether an address may be asked. */
export type AddressCheck = (address: string) => boolean;

/** An address as someone wrote it → one that may be asked as far as its text tells; throws otherwise. */
export function parseFetchUrl(text: string, isAllowed: AddressCheck): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ToolError("invalid_url", "the url must be a whole http or https address");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolError("invalid_url", "the url must not hold a user name or password");
  }
  const host = hostOf(url);
  const address = isLocalName(host) ? "127.0.0.1" : host;
  if (isAddress(address) && !isAllowed(address)) throw refused(host);
  return url;
}

/** Why an address is not asked. */
export function refused(host: string): ToolError {
  return new ToolError(
    "private_address",
    `${host} is on this machine or a private network; only public addresses are fetched`,
  );
}
