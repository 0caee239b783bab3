import { CLIENT_ID_HEADER } from "@dt/schema";

/** Why an anonymous request cannot set a mode, and what to do instead. */
export const noCredential = `a mode ends with the client that sets it, and this request names none; use a WebSocket, or send a random id in the header ${CLIENT_ID_HEADER}`;
