import { encodeMessage, ProtocolError } from "@dt/schema";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { findSession } from "../tasks/shared-session.js";
import { findContextId } from "./command-execute.js";

/** `commands/get`: lists the slash commands with their arguments and sub-commands. (RFC 3.3) */
export async function commandsGet(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const { shared, listCommands } = context;
  const contextId = findContextId(params);
  const host =
    contextId === undefined ? (await shared?.())?.host : await findSession(contextId, context);
  if (contextId !== undefined && host === undefined) {
    throw new ProtocolError("invalid-message", `context_id: there is no session ${contextId}`);
  }
  const commands =
    (await host?.agent.listCommands(context.caller)) ?? (await listCommands?.()) ?? [];
  return { type: "result", result: encodeMessage("GetAllSlashCommandsResponse", { commands }) };
}
