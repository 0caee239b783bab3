import { isProtocolError } from "@dt/schema";

/** Name of the header that says how to authenticate. */
export const CHALLENGE_HEADER = "WWW-Authenticate";

/** Characters that a quoted string in a header cannot contain. Each one is replaced with an apostrophe. */
const UNQUOTABLE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

/**
 * Returns the headers of a refusal: a challenge if the caller must authenticate, otherwise none. The
 * challenge contains `invalid_token` if the request had a token. (RFC 6750, 3)
 */
export function challengeHeaders(
  reason: unknown,
  { hasToken }: { readonly hasToken: boolean },
): Readonly<Record<string, string>> {
  if (!isProtocolError(reason) || reason.code !== "unauthenticated") return {};
  const text = reason.message.replace(UNQUOTABLE, "'");
  const error = hasToken ? `, error="invalid_token", error_description="${text}"` : "";
  return { [CHALLENGE_HEADER]: `Bearer realm="dt"${error}` };
}
