import { ProtocolError } from "@dt/schema";

/** The error of a request whose token was damaged or cut off. */
export function malformedToken(): ProtocolError {
  return new ProtocolError(
    "unauthenticated",
    "the token is malformed; send the whole token as it was printed, from dt_ on",
  );
}
