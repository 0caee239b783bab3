import type { RpcContext, RpcOutcome } from "./rpc-context.js";

/** `client/end`: the client has gone. Its credential ends, and with it the modes that it set. */
export async function endClient(
  _params: unknown,
  { credentials, caller }: RpcContext,
): Promise<RpcOutcome> {
  if (caller.credential !== undefined) credentials.end(caller.credential);
  return { type: "result", result: {} };
}
