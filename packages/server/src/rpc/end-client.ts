import type { RpcContext, RpcOutcome } from "./rpc-context.js";

/** `client/end`: the client has gone. Its credential ends, and with it the modes that it set. */
export async function endClient(
  _params: unknown,
  { credentials, principal }: RpcContext,
): Promise<RpcOutcome> {
  if (principal.credential !== undefined) credentials.end(principal.credential);
  return { type: "result", result: {} };
}
