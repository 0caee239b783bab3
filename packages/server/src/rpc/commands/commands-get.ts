import { encodeMessage, ProtocolError, type SlashCommand } from "@dt/schema";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { findSession } from "../tasks/shared-session.js";
import { findContextId } from "./command-execute.js";

/** `commands/get`: lists the slash commands with their arguments and sub-commands. (RFC 3.3) */
export async function commandsGet(params: unknown, context: RpcContext): Promise<RpcOutcome> {
  const commands = await listSlashCommands(findContextId(params), context);
  return { type: "result", result: encodeMessage("GetAllSlashCommandsResponse", { commands }) };
}

/** Lists the commands of a session. Without an id, lists the commands of the live session, or else of a new session. */
export async function listSlashCommands(
  contextId: string | undefined,
  context: RpcContext,
): Promise<readonly SlashCommand[]> {
  const { shared } = context;
  const host =
    contextId === undefined ? (await shared?.())?.host : await findSession(contextId, context);
  if (contextId !== undefined && host === undefined) {
    throw new ProtocolError("task-not-found", `context_id: there is no session ${contextId}`, {
      data: { path: "context_id" },
    });
  }
  return (await host?.agent.listCommands(context.caller)) ?? (await context.listCommands?.()) ?? [];
}
