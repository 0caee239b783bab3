import { ProtocolError } from "@dt/schema";

/** A request that may be why a socket was closed. */
export interface SentRequest {
  /** How long its frame was. */
  readonly length: number;
  /** Whether anything came back for it: then the agent had read it. */
  readonly isHeard: boolean;
}

/** Codes by which a peer says that a frame was one that it does not take. */
const BAD_FRAME_CODES = [1003, 1007, 1008, 1009, 4400];
const TOO_BIG = 1009;

/**
 * The request that a socket was closed for, and what to tell it: sent again, it would close the next
 * socket too. Of those that nothing was heard of it is the longest where a frame was too large, else
 * the only one; undefined where none can be told from the others, or the code means something else.
 */
export function findBlamed<TRequest extends SentRequest>(
  requests: Iterable<TRequest>,
  code: number,
  said: string,
): { readonly request: TRequest; readonly reason: ProtocolError } | undefined {
  if (!BAD_FRAME_CODES.includes(code)) return undefined;
  const silent = [...requests].filter(({ isHeard }) => !isHeard);
  const [request] = silent.sort((one, other) => other.length - one.length);
  if (request === undefined || (code !== TOO_BIG && silent.length > 1)) return undefined;
  const reason =
    code === TOO_BIG
      ? new ProtocolError("too-large", `the agent takes no frame of ${request.length} characters`)
      : new ProtocolError("invalid-request", `the agent did not take this request: ${said}`);
  return { request, reason };
}
