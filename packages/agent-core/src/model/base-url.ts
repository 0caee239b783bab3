import { ModelError } from "./model.js";

/**
 * The address of a model, checked. `variable` is where it was set, for the error: the address itself
 * may hold a password and is never repeated.
 */
export function checkBaseUrl(value: string, variable: string): string {
  if (!URL.canParse(value)) throw new ModelError(`${variable} is not a URL`);
  const { protocol, username, password } = new URL(value);
  if (protocol !== "http:" && protocol !== "https:") {
    throw new ModelError(`${variable} must begin with http:// or https://`);
  }
  if (username !== "" || password !== "") {
    throw new ModelError(
      `${variable} must not hold a name or password; a key has its own variable`,
    );
  }
  return value;
}

/** Whether an address is of this machine or this network, where models are asked without a key. */
export function isLocalUrl(value: string): boolean {
  const hostname = new URL(value).hostname.replace(/^\[|\]$/g, "");
  if (hostname === "::1" || !/[.:]/.test(hostname)) return true;
  if (/\.(localhost|local|internal|lan)$/.test(hostname)) return true;
  return /^(127|10)\.\d+\.\d+\.\d+$|^192\.168\.\d+\.\d+$|^172\.(1[6-9]|2\d|3[01])\.\d+\.\d+$/.test(
    hostname,
  );
}
