import { SetupError } from "@dt/schema";
import { SetupFaultError } from "../errors/setup-fault.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: this expression finds control characters.
const CONTROL = /[\x00-\x1f\x7f]/;

/** Encodes a name for a header: `%` and characters outside ASCII are percent-encoded. */
export function toHeaderText(name: string): string {
  if (CONTROL.test(name)) throw new SetupFaultError({ type: "client-name" });
  return name.replace(/[^\x20-\x7e]+|%/g, encodeURIComponent);
}

/** Returns the token, or throws if a header cannot contain it. The error does not contain the token. */
export function checkToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x21-\x7e]*$/.test(token)) return token;
  throw new SetupError("the token has a blank, a line break or another invalid character");
}
