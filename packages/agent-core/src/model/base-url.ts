import { hostOf, isAddress, isLocalName, isPublicAddress } from "@dt/schema/address";
import { ModelError } from "./model.js";

/**
 * Checks the base URL of a model. An error names the variable that contains the URL. It never shows the URL
 * itself, because the URL may contain a password.
 */
export function checkBaseUrl(value: string, variable: string): string {
  if (!URL.canParse(value)) {
    throw new ModelError(`${variable} is not a URL; it must begin with http:// or https://`);
  }
  const { protocol, username, password } = new URL(value);
  if (protocol !== "http:" && protocol !== "https:") {
    throw new ModelError(`${variable} must begin with http:// or https://`);
  }
  if (username !== "" || password !== "") {
    throw new ModelError(
      `${variable} must not contain a user name or password; set the key in its own variable`,
    );
  }
  return value;
}

/** Returns true for a host of this machine or of a private network, where models need no key. */
export function isLocalUrl(value: string): boolean {
  const host = hostOf(new URL(value));
  if (isAddress(host)) return !isPublicAddress(host);
  return isLocalName(host) || !host.includes(".") || /\.(local|internal|lan)$/.test(host);
}
