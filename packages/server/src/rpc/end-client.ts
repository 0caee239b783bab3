import type { RpcContext, RpcOutcome } from "./rpc-context.js";

/** `client/end`: ends the credential of a client that leaves, and thereby the modes that the client set. */
export async function endClient(
  _params: unknown,
  { credentials, caller }: RpcContext,
): Promise<RpcOutcome> {
  if (caller.credential !== undefined) credentials.end(caller.credential);
  return { type: "result", result: {} };
}
