import { ProtocolError } from "@dt/schema";

/** A request that may be the reason why a socket was closed. */
export interface SentRequest {
  /** Length of the request's frame. */
  readonly length: number;
  /** True if the agent has replied to the request, which shows that the frame was accepted. */
  readonly hasReply: boolean;
}

/** WebSocket close codes by which an agent rejects a frame. */
const BAD_FRAME_CODES = [1003, 1007, 1008, 1009, 4400];
const FRAME_TOO_LARGE = 1009;

/**
 * Finds the request that made the agent close a socket, and its error. The request must not be sent again,
 * because the agent would close the next socket too. If a frame was too large, the result is the longest
 * request without a reply. If a frame was invalid, the result is the request without a reply, provided that
 * there is only one. In all other cases, the result is undefined.
 */
export function findRejected<TRequest extends SentRequest>(
  requests: Iterable<TRequest>,
  code: number,
  detail: string,
): { readonly request: TRequest; readonly reason: ProtocolError } | undefined {
  if (!BAD_FRAME_CODES.includes(code)) return undefined;
  const silent = [...requests].filter(({ hasReply }) => !hasReply);
  const [request] = silent.sort((one, other) => other.length - one.length);
  if (request === undefined || (code !== FRAME_TOO_LARGE && silent.length > 1)) return undefined;
  const reason =
    code === FRAME_TOO_LARGE
      ? new ProtocolError(
          "too-large",
          `the agent refuses a frame of ${request.length} characters; send less`,
        )
      : new ProtocolError("invalid-request", `the agent refused this request: ${detail}`);
  return { request, reason };
}
