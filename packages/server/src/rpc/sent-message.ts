import { ProtocolError } from "@dt/schema";
import { type A2aSpelling, decodeSendParams, type SendParams } from "@dt/schema/wire";

/** The parameters of a message, decoded once; or the fault of a message that cannot be decoded. */
export interface SentMessage {
  readonly params?: SendParams;
  readonly fault?: unknown;
}

/** Decodes a message. A fault is kept until the call runs, so that it is reported as the call's own. */
export function readSent(params: unknown, spelling: A2aSpelling): SentMessage {
  try {
    return { params: decodeSendParams(params, spelling) };
  } catch (fault) {
    return { fault };
  }
}

/** The decoded parameters of a call; throws their fault. */
export function getSent({ sent }: { readonly sent?: SentMessage }): SendParams {
  if (sent?.params !== undefined) return sent.params;
  throw sent?.fault ?? new ProtocolError("invalid-message", "message: required");
}
