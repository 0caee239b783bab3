import { CLIENT_ID_HEADER } from "@dt/schema";

/** Reason why a request without a credential cannot set a mode, with the fix. */
export const NO_CREDENTIAL_REASON = `a mode ends with the client that sets it, but this request does not identify a client; use a WebSocket, or send a random id in the header ${CLIENT_ID_HEADER}`;
